# Fits of single records: the default method, and plain EM as in the paper.


rule fit_agent:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
    output:
        f"{RESULTS}/{{dataset}}/fit.nc",
    log:
        f"{RESULTS}/logs/fit_{{dataset}}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=lambda wildcards, attempt: attempt
        * minutes_of_fits(config["paper"]["n_steps"], 1, config["paper"]["n_starts"]),
    params:
        config=sections("fitting"),
        study=lambda wildcards: wildcards.dataset,
        seeds=None,
        n_steps=None,
        method=config["fitting"]["method"],
        n_starts=config["paper"]["n_starts"],
        n_reserve_starts=config["paper"]["n_reserve_starts"],
        source=source("fit_agent"),
    message:
        "Fitting {wildcards.dataset}: {params.n_starts} starts"
    script:
        "../scripts/fit_agent.py"


rule follow_em:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
    output:
        f"{RESULTS}/{{dataset}}/em_trajectory.nc",
    log:
        f"{RESULTS}/logs/learn_{{dataset}}.log",
    priority: max(LENGTHS) + 1
    conda:
        "../../environment.yml"
    params:
        config=sections("fitting"),
        study=lambda wildcards: wildcards.dataset,
        seeds=None,
        n_steps=None,
        method="em",
        n_starts=1,
        n_reserve_starts=0,
        source=source("fit_agent"),
    message:
        "Learning trajectory of plain EM for {wildcards.dataset}, from the fit's first start"
    script:
        "../scripts/fit_agent.py"


rule map_likelihood:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
        learning=f"{RESULTS}/{{dataset}}/em_trajectory.nc",
    output:
        f"{RESULTS}/{{dataset}}/surface.nc",
    log:
        f"{RESULTS}/logs/surface_{{dataset}}.log",
    conda:
        "../../environment.yml"
    params:
        config=sections("surface"),
        n_points=config["surface"]["n_points"],
        source=source("map_likelihood"),
    message:
        "Mapping the log-likelihood of {wildcards.dataset}: {params.n_points} x {params.n_points}"
    script:
        "../scripts/map_likelihood.py"
