# What the number of bins, the diffusion and the discount change (Figure 11).

if config["sensitivity"]["enabled"]:

    rule simulate_sensitivity:
        output:
            expand(
                f"{RESULTS}/sensitivity/records/{{setting}}.nc",
                setting=SENSITIVITY_TASKS,
            ),
        log:
            f"{RESULTS}/logs/simulate_sensitivity.log",
        priority: max(LENGTHS) + 2
        conda:
            "../../environment.yml"
        params:
            config=sections("task", "world", "agent"),
            tasks=SENSITIVITY_TASKS,
            n_records=SENSITIVITY["n_records"],
            n_steps=SENSITIVITY["n_steps"],
            source=source("simulate_sensitivity"),
        message:
            "Simulating the agent under every setting of the sensitivity study"
        script:
            "../scripts/simulate_sensitivity.py"

    # One rule per setting, for its priority: more bins take much longer and must not come last.
    for setting, task in SENSITIVITY_TASKS.items():

        rule:
            name:
                f"fit_sensitivity_{setting.replace('.', '_')}"
            input:
                matched=f"{RESULTS}/sensitivity/records/{setting}.nc",
                mismatched=f"{RESULTS}/sensitivity/records/task.nc",
            output:
                matched=f"{RESULTS}/sensitivity/fits/matched/{setting}/{BATCH}",
                mismatched=f"{RESULTS}/sensitivity/fits/mismatched/{setting}/{BATCH}",
            log:
                f"{RESULTS}/logs/fit_sensitivity_{setting}_seeds{{first}}-{{last}}.log",
            priority: SENSITIVITY["n_steps"] * task["n_bins"] // 10
            conda:
                "../../environment.yml"
            resources:
                runtime=lambda wildcards, attempt, minutes=minutes_of_fits(
                    SENSITIVITY["n_steps"] * max(1, (task["n_bins"] / 10) ** 3),
                    2 * SENSITIVITY["batch_size"],
                    SENSITIVITY["n_starts"],
                ): attempt
                * minutes,
            params:
                config=sections("fitting"),
                task=task,
                seeds=batch_seeds,
                n_starts=SENSITIVITY["n_starts"],
                n_reserve_starts=SENSITIVITY["n_reserve_starts"],
                source=source("fit_sensitivity"),
            message:
                "Fitting records {wildcards.first} to {wildcards.last} with {params.task}"
            script:
                "../scripts/fit_sensitivity.py"

    rule score_decoders:
        input:
            record=f"{RESULTS}/paper/record.nc",
            fit=f"{RESULTS}/paper/fit.nc",
        output:
            f"{RESULTS}/sensitivity/decoders.nc",
        log:
            f"{RESULTS}/logs/score_decoders.log",
        conda:
            "../../environment.yml"
        params:
            config=sections(),
            block_steps=SENSITIVITY["block_steps"],
            source=source("score_decoders"),
        message:
            "Scoring three decoders of the paper's record"
        script:
            "../scripts/score_decoders.py"

    rule summarize_sensitivity:
        input:
            matched=sensitivity_fits("matched"),
            mismatched=sensitivity_fits("mismatched"),
            decoders=f"{RESULTS}/sensitivity/decoders.nc",
        output:
            f"{RESULTS}/sensitivity/summary.nc",
        log:
            f"{RESULTS}/logs/summarize_sensitivity.log",
        conda:
            "../../environment.yml"
        params:
            config=sections("fitting"),
            tasks=SENSITIVITY_TASKS,
            n_steps=SENSITIVITY["n_steps"],
            source=source("summarize_sensitivity"),
        message:
            "Summarizing the sensitivity study"
        script:
            "../scripts/summarize_sensitivity.py"

    rule figure11:
        input:
            sensitivity=f"{RESULTS}/sensitivity/summary.nc",
        output:
            **drawn("figure11", 11),
        log:
            f"{RESULTS}/logs/figure11.log",
        conda:
            "../../environment.yml"
        params:
            source=source("figures/figure11_sensitivity"),
        message:
            "Drawing Figure 11, sensitivity to bins, diffusion and discount"
        script:
            "../scripts/figures/figure11_sensitivity.py"
