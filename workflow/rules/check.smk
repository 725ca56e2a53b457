# The finished results judged against stated criteria; `all` waits for every one to pass.


rule judge:
    input:
        **{
            kind: f"{RESULTS}/paper/{kind}.nc"
            for kind in ("fit", "learning", "posterior", "behavior", "models")
        },
        **{
            experiment: f"{RESULTS}/{experiment}/summary.nc"
            for experiment in EXPERIMENTS
        },
        recovery=f"{RESULTS}/recovery/summary.nc",
        fits=[path for n_steps in LENGTHS for path in recovery_fits(n_steps)],
    output:
        table=report(
            f"{RESULTS}/check/check.csv",
            caption="../report/check.rst",
            category="Check",
        ),
        text=f"{RESULTS}/check/check.txt",
    log:
        f"{RESULTS}/logs/judge.log",
    conda:
        "../../environment.yml"
    params:
        bounds=config["check"],
        experiment_bounds={name: config[name]["check"] for name in EXPERIMENTS},
        source=source("judge_results"),
    message:
        "Judging the results against the criteria of the configuration"
    script:
        "../scripts/judge_results.py"


# Apart from judging, so that the table stays when a criterion fails.
rule check:
    input:
        f"{RESULTS}/check/check.csv",
    output:
        f"{RESULTS}/check/passed.txt",
    log:
        f"{RESULTS}/logs/check.log",
    conda:
        "../../environment.yml"
    params:
        source=source("check_criteria"),
    message:
        "Checking that every criterion passed"
    script:
        "../scripts/check_criteria.py"
