# Beliefs at every step, under the fitted parameters.


rule decode_beliefs:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
    output:
        f"{RESULTS}/{{dataset}}/posterior.nc",
    log:
        f"{RESULTS}/logs/decode_{{dataset}}.log",
    conda:
        "../../environment.yml"
    params:
        config=sections(),
        source=source("decode_beliefs"),
    message:
        "Decoding the beliefs of {wildcards.dataset}"
    script:
        "../scripts/decode_beliefs.py"
