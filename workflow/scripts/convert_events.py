"""Make steps of an animal's events; steps and decisions are tables that one can look at."""

from inverse_rational_control.config.animals import EventRules
from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.recordings.animals import layout_of, with_own
from inverse_rational_control.recordings.conversion import convert_events, write_tables
from inverse_rational_control.workflow import run


def main(config, animal, events, positions, steps, decisions, log):
    """Write the steps of the files `events`; `positions` is among the animal's rules already."""
    task = task_from_config(with_own(config, animal))
    events = [events] if isinstance(events, str) else list(events)
    converted = convert_events(events, task, EventRules(**animal["events"]), layout_of(animal))
    for remark in converted.remarks:
        log.warning("%s", remark)
    log.info("decisions, how often:\n%s", converted.decisions.summary())
    write_tables(converted, steps, decisions)


if __name__ == "__main__":
    run(main, snakemake)
