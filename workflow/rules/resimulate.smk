# The inferred agent simulated again, and compared with the recorded one.


rule resimulate_agent:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
    output:
        f"{RESULTS}/{{dataset}}/behavior.nc",
    params:
        config=sections(),
        study=lambda wildcards: wildcards.dataset,
        n_replicates=config["resimulation"]["n_replicates"],
        source=source("resimulate_agent"),
    log:
        f"{RESULTS}/logs/resimulate_{{dataset}}.log",
    message:
        "Simulating the agent inferred from {wildcards.dataset} {params.n_replicates} times"
    script:
        script("resimulate_agent")


rule compare_models:
    input:
        record=f"{RESULTS}/paper/record.nc",
        fit=f"{RESULTS}/paper/fit.nc",
    output:
        f"{RESULTS}/paper/models.nc",
    params:
        config=sections(),
        source=source("compare_models"),
    log:
        f"{RESULTS}/logs/compare_models.log",
    message:
        "Comparing value function and policy of the true and the inferred agent"
    script:
        script("compare_models")
