# Inverse Rational Control: from simulated (or recorded) foraging to every figure of the paper.

import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/decode.smk"
include: "workflow/rules/resimulate.smk"
include: "workflow/rules/recovery.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/experiments.smk"
include: "workflow/rules/population.smk"
include: "workflow/rules/optimization.smk"
include: "workflow/rules/identifiability.smk"
include: "workflow/rules/alternatives.smk"
include: "workflow/rules/sensitivity.smk"
include: "workflow/rules/check.smk"


report: "workflow/report/workflow.rst"


rule all:
    default_target: True
    input:
        FIGURES,
        ANIMAL_FIGURES,
        f"{RESULTS}/check/passed.txt",


# One's own animals alone, without the simulated agent and the recovery study.
rule animals:
    input:
        ANIMAL_FIGURES,
