# What the number of bins, the diffusion and the discount change (Figure 11).

from dataclasses import asdict

from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.studies.sensitivity.settings import (
    settings as sensitivity_settings,
)

if config["sensitivity"]["enabled"]:

    SENSITIVITY = config["sensitivity"]
    SETTINGS = {
        setting.name: asdict(setting.task)
        for setting in sensitivity_settings(
            task_from_config(config),
            SENSITIVITY["n_bins"],
            SENSITIVITY["diffusion_bins"],
            SENSITIVITY["discounts"],
        )
    }

    # The fits of each design, all batches of a setting after those of another.
    FITS_OF_SETTINGS = {
        design: [
            path
            for name in SETTINGS
            for path in batch_files(
                f"sensitivity/fits/{design}/{name}",
                in_batches(0, SENSITIVITY["n_records"], SENSITIVITY["batch_size"]),
            )
        ]
        for design in ("matched", "mismatched")
    }

    rule simulate_sensitivity:
        output:
            records=[f"{RESULTS}/sensitivity/records/{name}.nc" for name in SETTINGS],
        log:
            f"{RESULTS}/logs/simulate_sensitivity.log",
        priority: SENSITIVITY["n_steps"] * max(SENSITIVITY["n_bins"])
        params:
            config=sections("task", "world", "agent"),
            tasks=SETTINGS,
            n_records=SENSITIVITY["n_records"],
            n_steps=SENSITIVITY["n_steps"],
            source=source("simulate_sensitivity"),
        message:
            "Simulating the agent under every setting of the sensitivity study"
        script:
            "../scripts/simulate_sensitivity.py"

    # One rule per setting, for its priority: more bins take much longer and must not come last.
    for name, task in SETTINGS.items():

        rule:
            name:
                f"fit_sensitivity_{name.replace('.', '_')}"
            input:
                matched_record=f"{RESULTS}/sensitivity/records/{name}.nc",
                mismatched_record=f"{RESULTS}/sensitivity/records/task.nc",
            output:
                matched_fit=f"{RESULTS}/sensitivity/fits/matched/{name}/{BATCH}",
                mismatched_fit=f"{RESULTS}/sensitivity/fits/mismatched/{name}/{BATCH}",
            log:
                f"{RESULTS}/logs/fit_sensitivity_{name}_seeds{{first}}-{{last}}.log",
            priority: SENSITIVITY["n_steps"] * task["n_bins"] // 10
            resources:
                **fits(
                    SENSITIVITY["n_steps"],
                    2 * SENSITIVITY["n_starts"],
                    relative_cost=max(1, (task["n_bins"] / 10) ** 3),
                ),
            params:
                config=sections("fitting"),
                task=task,
                seeds=numbers_of_batch,
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
            decoders=f"{RESULTS}/sensitivity/decoders.nc",
        log:
            f"{RESULTS}/logs/score_decoders.log",
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
            matched=FITS_OF_SETTINGS["matched"],
            mismatched=FITS_OF_SETTINGS["mismatched"],
            decoders=f"{RESULTS}/sensitivity/decoders.nc",
        output:
            summary=f"{RESULTS}/sensitivity/summary.nc",
        log:
            f"{RESULTS}/logs/summarize_sensitivity.log",
        params:
            config=sections("fitting"),
            tasks=SETTINGS,
            n_steps=SENSITIVITY["n_steps"],
            source=source("summarize_sensitivity"),
        message:
            "Summarizing the sensitivity study"
        script:
            "../scripts/summarize_sensitivity.py"

    rule figure11:
        input:
            summary=f"{RESULTS}/sensitivity/summary.nc",
        output:
            **drawn(11),
        log:
            f"{RESULTS}/logs/figure11.log",
        params:
            **module_of_figure(11),
        message:
            "Drawing Figure 11, sensitivity to bins, diffusion and discount"
        script:
            "../scripts/draw_figure.py"

    rule judge_sensitivity:
        input:
            summary=f"{RESULTS}/sensitivity/summary.nc",
        output:
            table=f"{RESULTS}/check/criteria/sensitivity.csv",
        log:
            f"{RESULTS}/logs/judge_sensitivity.log",
        params:
            **module_of_criteria("sensitivity"),
            bounds=SENSITIVITY["check"],
        message:
            "Judging the sensitivity study against the criteria of the configuration"
        script:
            "../scripts/judge_study.py"
