# The recovery study: seeds x data lengths, several seeds per job.


rule simulate_recovery:
    output:
        f"{RESULTS}/recovery/records/{BATCH}",
    log:
        f"{RESULTS}/logs/simulate_recovery_seeds{{first}}-{{last}}.log",
    priority: max(LENGTHS) + 2
    conda:
        "../../environment.yml"
    params:
        config=sections("task", "world", "agent"),
        study="recovery",
        seeds=batch_seeds,
        n_steps=max(LENGTHS),
        source=source("simulate_agent"),
    message:
        "Simulating seeds {wildcards.first} to {wildcards.last}: {params.n_steps} steps each"
    script:
        "../scripts/simulate_agent.py"


# One rule per data length, for its priority: records first, then EM (the longest job of all), then
# fits from the longest down, so that no core idles at the end.
for n_steps in LENGTHS:

    rule:
        name:
            f"fit_recovery_steps{n_steps}"
        input:
            record=f"{RESULTS}/recovery/records/{BATCH}",
        output:
            f"{RESULTS}/recovery/fits/steps{n_steps}/{BATCH}",
        log:
            f"{RESULTS}/logs/fit_recovery_steps{n_steps}_seeds{{first}}-{{last}}.log",
        priority: n_steps
        conda:
            "../../environment.yml"
        resources:
            runtime=lambda wildcards, attempt, minutes=minutes_of_fits(
                n_steps, RECOVERY["batch_size"], RECOVERY["n_starts"]
            ): attempt
            * minutes,
        params:
            config=sections("fitting"),
            study="recovery",
            seeds=batch_seeds,
            n_steps=n_steps,
            method=config["fitting"]["method"],
            n_starts=RECOVERY["n_starts"],
            n_reserve_starts=RECOVERY["n_reserve_starts"],
            source=source("fit_agent"),
        message:
            "Fitting the first {params.n_steps} steps of seeds {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/fit_agent.py"


rule expect_information:
    input:
        [
            f"{RESULTS}/recovery/records/{BATCH.format(first=first, last=last)}"
            for first, last in LONG_BATCHES
        ],
    output:
        f"{RESULTS}/recovery/information.nc",
    log:
        f"{RESULTS}/logs/expect_information.log",
    priority: max(LENGTHS) + 1
    conda:
        "../../environment.yml"
    params:
        config=sections("fitting"),
        lengths=LENGTHS,
        source=source("expect_information"),
    message:
        "Averaging the information at the truth: the Cramer-Rao bound"
    script:
        "../scripts/expect_information.py"


rule summarize_recovery:
    input:
        **{f"steps{n_steps}": recovery_fits(n_steps) for n_steps in LENGTHS},
        information=f"{RESULTS}/recovery/information.nc",
    output:
        f"{RESULTS}/recovery/summary.nc",
    log:
        f"{RESULTS}/logs/summarize_recovery.log",
    conda:
        "../../environment.yml"
    params:
        config=sections("fitting"),
        lengths=LENGTHS,
        slope_from=RECOVERY["slope_from"],
        agreement_nats=config["check"]["start_agreement_nats"],
        source=source("summarize_recovery"),
    message:
        "Summarizing the recovery study"
    script:
        "../scripts/summarize_recovery.py"
