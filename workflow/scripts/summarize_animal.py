"""Write what a person should know of one animal: what is missed, what describes it, its parameters."""

from inverse_rational_control.foraging.animal_summary import animal_summary, shown
from inverse_rational_control.foraging.descriptions_dataset import COMPARED_DESCRIPTIONS
from inverse_rational_control.foraging.misfit import misfit_sentences
from inverse_rational_control.inference.carried import parameter_rows
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.inference.posterior_dataset import POSTERIOR
from inverse_rational_control.recordings.decisions import remarks_on_decisions
from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.contract import read
from inverse_rational_control.studies.paper.dataset import BEHAVIOR
from inverse_rational_control.workflow import run


def main(fit, parameter_posterior, behavior, compared, decisions, animal, summary, page):
    """Write the text, and a page of it for the report.

    Descriptions, posterior and decisions on events are left out where they were not made.
    """
    fitted = read(fit, FIT)
    drawn = read(parameter_posterior, POSTERIOR) if parameter_posterior else None
    said = read(compared, COMPARED_DESCRIPTIONS).attrs if compared else None
    described = (said["verdict"], said["details"]) if said else None
    remarks = [str(each["remarks"].values) for each in (fitted, drawn) if each is not None]
    decided = remarks_on_decisions(decisions) if decisions else []
    text = animal_summary(
        animal,
        parameter_rows(fitted, drawn),
        fitted["world"].values,
        misfit_sentences(read(behavior, BEHAVIOR)),
        described,
        [
            *decided,
            *dict.fromkeys(remark for said in remarks for remark in said.split("; ") if remark),
        ],
    )
    write_whole(summary, text)
    write_whole(page, shown(animal, text))


if __name__ == "__main__":
    run(main, snakemake)
