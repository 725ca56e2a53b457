# Posteriors of the parameters of the paper's agent and of one's own animals, and what to report of them.

# Keys that say what is drawn, not from whom or what is made of it.
SAMPLING = set(config["posterior"]) - {"paper", "animals", *CARRIED}


rule sample_posterior:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
    output:
        posterior=f"{RESULTS}/{{dataset}}/parameter_posterior.nc",
    log:
        f"{RESULTS}/logs/sample_posterior_{{dataset}}.log",
    priority: PAPER_FIRST
    resources:
        seconds=120,
        mem_mb=memory_for_record,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        config=sections("fitting", "prior") | keys_of("posterior", *SAMPLING),
        study=lambda wildcards: wildcards.dataset,
        free=lambda wildcards: keys_of_animal(wildcards.dataset, *FREE),
        source=source("sample_posterior"),
    message:
        "Drawing from the posterior of {wildcards.dataset}"
    script:
        "../scripts/sample_posterior.py"


rule tabulate_parameters:
    input:
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
        parameter_posterior=lambda wildcards: POSTERIORS[wildcards.dataset],
    output:
        parameters=f"{RESULTS}/{{dataset}}/parameters.csv",
    log:
        f"{RESULTS}/logs/tabulate_parameters_{{dataset}}.log",
    priority: PAPER_FIRST
    params:
        source=source("tabulate_parameters"),
    message:
        "Tabulating the parameters of {wildcards.dataset}"
    script:
        "../scripts/tabulate_parameters.py"
