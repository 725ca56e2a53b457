# Posteriors of agents drawn from the prior, several agents per job (Figure 12).

if config["calibration"]["enabled"]:

    CALIBRATION = config["calibration"]
    # Prior and posterior of the paper's agent are shown, if there are any.
    PAPER_POSTERIOR = (
        {"posterior": f"{RESULTS}/paper/parameter_posterior.nc"}
        | {"fit": f"{RESULTS}/paper/fit.nc"}
        if config["posterior"]["paper"]
        else {}
    )

    rule calibrate_agents:
        output:
            calibrated=f"{RESULTS}/calibration/agents/agents{{first}}-{{last}}.nc",
        log:
            f"{RESULTS}/logs/calibrate_agents{{first}}-{{last}}.log",
        priority: CALIBRATION["n_steps"]
        resources:
            **fits(
                CALIBRATION["n_steps"], 1 + CALIBRATION["n_starts"], relative_cost=20
            ),
        params:
            config=sections("task", "world", "fitting", "prior")
            | keys_of("posterior", *SAMPLING),
            agents=numbers_of_batch,
            options=sorted_by_key(
                {
                    key: value
                    for key, value in CALIBRATION.items()
                    if key not in ("enabled", "check", "n_agents", "batch_size")
                }
            ),
            source=source("calibrate_agents"),
        message:
            "Drawing from the posteriors of agents {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/calibrate_agents.py"

    rule summarize_calibration:
        input:
            **PAPER_POSTERIOR,
            agents=batch_files(
                "calibration/agents",
                in_batches(0, CALIBRATION["n_agents"], CALIBRATION["batch_size"]),
                "agents{first}-{last}.nc",
            ),
        output:
            summary=f"{RESULTS}/calibration/summary.nc",
        log:
            f"{RESULTS}/logs/summarize_calibration.log",
        params:
            config=sections("prior"),
            source=source("summarize_calibration"),
        message:
            "Summarizing the calibration"
        script:
            "../scripts/summarize_calibration.py"

    rule figure12:
        input:
            summary=f"{RESULTS}/calibration/summary.nc",
        output:
            **drawn(12),
        log:
            f"{RESULTS}/logs/figure12.log",
        params:
            **module_of_figure(12),
        message:
            "Drawing Figure 12, the posterior"
        script:
            "../scripts/draw_figure.py"

    rule judge_calibration:
        input:
            summary=f"{RESULTS}/calibration/summary.nc",
        output:
            table=f"{RESULTS}/check/criteria/calibration.csv",
        log:
            f"{RESULTS}/logs/judge_calibration.log",
        params:
            **module_of_criteria("calibration"),
            bounds=CALIBRATION["check"],
        message:
            "Judging the calibration against the criteria of the configuration"
        script:
            "../scripts/judge_study.py"
