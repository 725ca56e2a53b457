# What people get of each of their animals: what describes it, what is missed, beliefs step by step.

DESCRIBED = config["descriptions"]["enabled"]
ANIMAL_TABLES = [
    f"{RESULTS}/{animal}/{table}"
    for animal in ANIMALS
    for table in ("summary.txt", "parameters.csv", "beliefs.csv")
] + ([f"{RESULTS}/animals.csv"] if len(ANIMALS) > 1 else [])


rule compare_descriptions:
    input:
        record=f"{RESULTS}/{{animal}}/record.nc",
    output:
        compared=f"{RESULTS}/{{animal}}/descriptions.nc",
        table=f"{RESULTS}/{{animal}}/descriptions.csv",
    log:
        f"{RESULTS}/logs/compare_descriptions_{{animal}}.log",
    priority: PAPER_FIRST
    resources:
        fits=30,
        seconds=60,
        mem_mb=memory_for_record,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        config=sections("fitting", "alternatives", "descriptions"),
        study=lambda wildcards: wildcards.animal,
        free=lambda wildcards: keys_of_animal(wildcards.animal, *FREE, "alternatives"),
        source=source("compare_descriptions"),
    message:
        "Comparing descriptions of {wildcards.animal}"
    script:
        "../scripts/compare_descriptions.py"


rule tabulate_beliefs:
    input:
        record=f"{RESULTS}/{{animal}}/record.nc",
        fit=f"{RESULTS}/{{animal}}/fit.nc",
        parameter_posterior=lambda wildcards: POSTERIORS[wildcards.animal],
    output:
        regressors=f"{RESULTS}/{{animal}}/regressors.nc",
        table=f"{RESULTS}/{{animal}}/beliefs.csv",
    log:
        f"{RESULTS}/logs/tabulate_beliefs_{{animal}}.log",
    priority: PAPER_FIRST
    resources:
        mem_mb=memory_for_blocks,
    params:
        **CARRIED,
        config=sections(),
        source=source("tabulate_beliefs"),
    message:
        "Tabulating the beliefs of {wildcards.animal}"
    script:
        "../scripts/tabulate_beliefs.py"


rule summarize_animal:
    input:
        fit=f"{RESULTS}/{{animal}}/fit.nc",
        parameter_posterior=lambda wildcards: POSTERIORS[wildcards.animal],
        behavior=f"{RESULTS}/{{animal}}/behavior.nc",
        compared=f"{RESULTS}/{{animal}}/descriptions.nc" if DESCRIBED else [],
    output:
        summary=report(
            f"{RESULTS}/{{animal}}/summary.txt",
            caption="../report/animal.rst",
            category="Animals",
            labels={"figure": "Summary", "animal": "{animal}"},
        ),
    log:
        f"{RESULTS}/logs/summarize_{{animal}}.log",
    priority: PAPER_FIRST
    params:
        animal=lambda wildcards: wildcards.animal,
        source=source("summarize_animal"),
    message:
        "Summarizing {wildcards.animal}"
    script:
        "../scripts/summarize_animal.py"


rule tabulate_animals:
    input:
        parameters=[f"{RESULTS}/{animal}/parameters.csv" for animal in ANIMALS],
    output:
        table=report(
            f"{RESULTS}/animals.csv",
            caption="../report/animals.rst",
            category="Animals",
            labels={"figure": "Parameters side by side", "animal": "all"},
        ),
    log:
        f"{RESULTS}/logs/tabulate_animals.log",
    params:
        animals=list(ANIMALS),
        source=source("tabulate_animals"),
    message:
        "Tabulating the parameters of all animals"
    script:
        "../scripts/tabulate_animals.py"
