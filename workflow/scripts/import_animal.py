"""Read an animal's behavior and keep it as a checked NetCDF record."""

from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.parameters import world_vector
from inverse_rational_control.recordings.animals import layout_of, with_own
from inverse_rational_control.recordings.dataset import RECORD
from inverse_rational_control.recordings.layout import Layout
from inverse_rational_control.recordings.reading import read_recording, recording_dataset
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.workflow import run


def main(config, animal, behavior, record, log):
    """Write the record of the files `behavior` (CSV or NetCDF), or of the steps made of events."""
    config = with_own(config, animal)
    task = task_from_config(config)
    files = [behavior] if isinstance(behavior, str) else list(behavior)
    layout = Layout() if "events" in animal else layout_of(animal)
    recording = read_recording(files, task, layout)
    for remark in recording.remarks:
        log.warning("%s", remark)
    dataset = recording_dataset(recording, task, world_vector(config["world"]))
    write(dataset.assign_attrs(provenance(config), source=" ".join(files)), record, RECORD)


if __name__ == "__main__":
    run(main, snakemake)
