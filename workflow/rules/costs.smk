# What jobs cost in time and memory: a benchmark file beside each log, and a table per target for the
# report. Like logs they differ from run to run, and are no results.

COSTS = f"{RESULTS}/logs/costs"
COST_TABLES = {
    which: f"{RESULTS}/logs/costs_of_{which}.csv"
    for which in ("paper", "studies", "animals")
}


rule tabulate_costs:
    input:
        lambda wildcards: last_files(wildcards.which),
    output:
        table=report(
            f"{RESULTS}/logs/costs_of_{{which}}.csv",
            caption="../report/costs.rst",
            category="Costs",
            labels={"table": "Time and memory by rule, {which}"},
        ),
    log:
        f"{RESULTS}/logs/tabulate_costs_{{which}}.log",
    wildcard_constraints:
        which="|".join(COST_TABLES),
    params:
        source=source("tabulate_costs"),
    message:
        "Tabulating time and memory of the rules behind {wildcards.which}"
    script:
        "../scripts/tabulate_costs.py"


# Every rule's benchmark file has the name of its log, in a folder of the rule's name.
for each in workflow.rules:
    if each.script and Path(each.basedir).is_relative_to(ROOT):
        each.benchmark_modifier = workflow.modifier.path_modifier
        each.benchmark = (
            f"{COSTS}/{each.name}/{Path(each.log[0]).name.removesuffix('.log')}.tsv"
        )
