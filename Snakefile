# Inverse Rational Control: from simulated (or recorded) foraging to every figure of the paper.

import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")


# The clone, wherever the run takes place, as a module of another workflow too.
ROOT = Path(workflow.current_basedir)


include: "workflow/rules/files.smk"


configfile: ROOT / "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/posterior.smk"
include: "workflow/rules/animals.smk"
include: "workflow/rules/paper_figures.smk"
include: "workflow/rules/recovery.smk"
include: "workflow/rules/population.smk"
include: "workflow/rules/optimization.smk"
include: "workflow/rules/identifiability.smk"
include: "workflow/rules/alternatives.smk"
include: "workflow/rules/sensitivity.smk"
include: "workflow/rules/calibration.smk"
include: "workflow/rules/check.smk"
include: "workflow/rules/costs.smk"
include: "workflow/rules/manifest.smk"


report: "workflow/report/workflow.rst"


# Figures 1 to 6, those of one's own animals, and their check.
rule paper:
    default_target: True
    input:
        figure_files(PAPER),
        ANIMAL_FIGURES,
        ANIMAL_TABLES,
        f"{RESULTS}/check/paper_passed.txt",
        COST_TABLES["paper"],


# The studies beyond the paper, Figures 7 to 12, and their check.
rule studies:
    input:
        figure_files(set(STUDIES) - set(PAPER)),
        (
            [f"{RESULTS}/check/studies_passed.txt", COST_TABLES["studies"]]
            if set(STUDIES) - set(PAPER)
            else []
        ),


rule all:
    input:
        rules.paper.input,
        rules.studies.input,


# One's own animals alone, without the simulated agent and the recovery study.
rule animals:
    input:
        ANIMAL_FIGURES,
        ANIMAL_TABLES,
        COST_TABLES["animals"] if ANIMALS else [],


# What there is of all this, for a report; a table of costs tells of nothing that is gone.
rule made:
    input:
        [
            path
            for path in (
                *figure_files(STUDIES),
                *ANIMAL_FIGURES,
                # What an earlier version left has a text, but no page of it.
                *(table for table in ANIMAL_TABLES if table.endswith(".html")),
                *(f"{RESULTS}/check/{which}.txt" for which in CHECKED),
                *(
                    table
                    for which, table in COST_TABLES.items()
                    if all(Path(last).exists() for last in last_files(which))
                ),
            )
            if Path(path).exists()
        ],


# One environment for every rule, should Snakemake be asked to make it; targets run nothing.
for each in workflow.rules:
    if each.script and Path(each.basedir).is_relative_to(ROOT):
        each.conda_env = "../../environment.yml"
