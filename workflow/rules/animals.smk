# What people get of each of their animals: what describes it, what is missed, beliefs step by step.

DESCRIBED = config["descriptions"]["enabled"]
ANIMAL_TABLES = [
    f"{RESULTS}/{animal}/{table}"
    for animal in ANIMALS
    for table in ("summary.txt", "summary.html", "parameters.csv", "beliefs.csv")
] + (
    [f"{RESULTS}/animals.{form}" for form in ("csv", "html")]
    if len(ANIMALS) > 1
    else []
)


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


# Regressors are made of the posteriors that decoding smooths.
use rule decode_beliefs as decode_animal with:
    output:
        posterior=f"{RESULTS}/{{dataset}}/posterior.nc",
        regressors=f"{RESULTS}/{{dataset}}/regressors.nc",
        table=f"{RESULTS}/{{dataset}}/beliefs.csv",
    wildcard_constraints:
        dataset="|".join(map(re.escape, ANIMALS)) or "none",


rule summarize_animal:
    input:
        fit=f"{RESULTS}/{{animal}}/fit.nc",
        parameter_posterior=lambda wildcards: POSTERIORS[wildcards.animal],
        behavior=f"{RESULTS}/{{animal}}/behavior.nc",
        compared=f"{RESULTS}/{{animal}}/descriptions.nc" if DESCRIBED else [],
        decisions=lambda wildcards: (
            f"{RESULTS}/{wildcards.animal}/decisions.csv"
            if "events" in ANIMALS[wildcards.animal]
            else []
        ),
    output:
        summary=f"{RESULTS}/{{animal}}/summary.txt",
        # A report shows pages; texts and tables it only hands on. Labels are in alphabetical order.
        page=report(
            f"{RESULTS}/{{animal}}/summary.html",
            caption="../report/animal.rst",
            category="Animals",
            labels={"figure": "1. Summary: read first", "animal": "{animal}"},
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
        table=f"{RESULTS}/animals.csv",
        page=report(
            f"{RESULTS}/animals.html",
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
