# Beliefs at every step, under the fitted parameters.


rule decode_beliefs:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
    output:
        f"{RESULTS}/{{dataset}}/posterior.nc",
    params:
        config=sections(),
        source=source("decode_beliefs"),
    log:
        f"{RESULTS}/logs/decode_{{dataset}}.log",
    message:
        "Decoding the beliefs of {wildcards.dataset}"
    script:
        script("decode_beliefs")
