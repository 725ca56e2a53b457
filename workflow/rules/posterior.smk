# Posteriors of the parameters of the paper's agent and of one's own animals.


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
        seconds=40,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        config=sections("fitting", "prior", "posterior"),
        study=lambda wildcards: wildcards.dataset,
        source=source("sample_posterior"),
    message:
        "Drawing from the posterior of {wildcards.dataset}"
    script:
        "../scripts/sample_posterior.py"
