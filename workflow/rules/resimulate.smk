# The inferred agent simulated again, and compared with the recorded one.


rule resimulate_agent:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
    output:
        f"{RESULTS}/{{dataset}}/behavior.nc",
    log:
        f"{RESULTS}/logs/resimulate_{{dataset}}.log",
    conda:
        "../../environment.yml"
    params:
        config=sections("resimulation"),
        study=lambda wildcards: wildcards.dataset,
        n_replicates=config["resimulation"]["n_replicates"],
        source=source("resimulate_agent"),
    message:
        "Simulating the agent inferred from {wildcards.dataset} {params.n_replicates} times"
    script:
        "../scripts/resimulate_agent.py"


rule compare_models:
    input:
        record=f"{RESULTS}/paper/record.nc",
        fit=f"{RESULTS}/paper/fit.nc",
    output:
        f"{RESULTS}/paper/models.nc",
    log:
        f"{RESULTS}/logs/compare_models.log",
    conda:
        "../../environment.yml"
    params:
        config=sections(),
        source=source("compare_models"),
    message:
        "Comparing value function and policy of the true and the inferred agent"
    script:
        "../scripts/compare_models.py"
