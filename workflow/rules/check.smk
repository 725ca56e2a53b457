# The judged criteria of each study gathered; the run fails if one did not pass.


CHECKED = {
    "paper": PAPER,
    "studies": [study for study in STUDIES if study not in PAPER],
}


rule gather_criteria:
    input:
        tables=lambda wildcards: [
            f"{RESULTS}/check/criteria/{study}.csv"
            for study in CHECKED[wildcards.which]
        ],
    output:
        text=report(
            f"{RESULTS}/check/{{which}}.txt",
            caption="../report/check.rst",
            category="Check",
        ),
    log:
        f"{RESULTS}/logs/gather_criteria_{{which}}.log",
    wildcard_constraints:
        which="|".join(CHECKED),
    params:
        source=source("gather_criteria"),
    message:
        "Gathering the criteria of {wildcards.which}"
    script:
        "../scripts/gather_criteria.py"


# Apart from gathering, so that the text stays when a criterion fails.
rule check:
    input:
        tables=rules.gather_criteria.input.tables,
        text=f"{RESULTS}/check/{{which}}.txt",
    output:
        passed=f"{RESULTS}/check/{{which}}_passed.txt",
    log:
        f"{RESULTS}/logs/check_{{which}}.log",
    wildcard_constraints:
        which="|".join(CHECKED),
    params:
        source=source("check_criteria"),
    message:
        "Checking that every criterion of {wildcards.which} passed"
    script:
        "../scripts/check_criteria.py"
