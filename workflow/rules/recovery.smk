# How recovery improves with more data: records and data lengths, several records per job (Figure 6).

RECOVERY = config["recovery"]
LENGTHS = RECOVERY["n_steps"]
# The records that are fitted at all lengths come in batches of their own.
LONG_BATCHES = in_batches(0, RECOVERY["n_seeds_long"], long_batch_size(RECOVERY))
BATCHES = LONG_BATCHES + in_batches(
    RECOVERY["n_seeds_long"], RECOVERY["n_seeds"], RECOVERY["batch_size"]
)


# The batch files of every data length.
RECOVERY_FITS = {
    n_steps: batch_files(
        f"recovery/fits/steps{n_steps}",
        BATCHES if n_steps < RECOVERY["long_from"] else LONG_BATCHES,
    )
    for n_steps in LENGTHS
}


rule simulate_recovery:
    output:
        record=f"{RESULTS}/recovery/records/{BATCH}",
    log:
        f"{RESULTS}/logs/simulate_recovery_seeds{{first}}-{{last}}.log",
    priority: max(LENGTHS) + 2
    params:
        config=sections("task", "world", "agent"),
        study="recovery",
        numbers=numbers_of_batch,
        # As many as any of the batch's fits takes.
        n_steps=lambda wildcards: max(
            n
            for n in LENGTHS
            if n < RECOVERY["long_from"]
            or int(wildcards.first) < RECOVERY["n_seeds_long"]
        ),
        source=source("simulate_agent"),
    message:
        "Simulating records {wildcards.first} to {wildcards.last}: {params.n_steps} steps each"
    script:
        "../scripts/simulate_agent.py"


# One rule per data length, for its priority: records first, then fits from the longest down, so that
# no core idles at the end.
for n_steps in LENGTHS:

    rule:
        name:
            f"fit_recovery_steps{n_steps}"
        input:
            record=f"{RESULTS}/recovery/records/{BATCH}",
        output:
            fit=f"{RESULTS}/recovery/fits/steps{n_steps}/{BATCH}",
        log:
            f"{RESULTS}/logs/fit_recovery_steps{n_steps}_seeds{{first}}-{{last}}.log",
        priority: n_steps
        resources:
            **fits(n_steps, RECOVERY["n_starts"]),
        params:
            config=sections("fitting", "prior"),
            study="recovery",
            numbers=numbers_of_batch,
            n_steps=n_steps,
            method=config["fitting"]["method"],
            n_starts=RECOVERY["n_starts"],
            n_reserve_starts=RECOVERY["n_reserve_starts"],
            # Coverage needs to know only whether they hold the truth.
            interval_ends=False,
            source=source("fit_agent"),
        message:
            "Fitting the first {params.n_steps} steps of records {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/fit_agent.py"


rule expect_information:
    input:
        records=batch_files("recovery/records", LONG_BATCHES),
    output:
        information=f"{RESULTS}/recovery/information.nc",
    log:
        f"{RESULTS}/logs/expect_information.log",
    priority: max(LENGTHS) + 1
    resources:
        # Some twenty E-steps of each record.
        runtime=lambda wildcards, attempt: attempt
        * (120 + round(2e-6 * RECOVERY["n_seeds_long"] * max(LENGTHS))),
    params:
        config=sections("fitting", "prior"),
        lengths=LENGTHS,
        source=source("expect_information"),
    message:
        "Averaging the information at the truth: the Cramer-Rao bound"
    script:
        "../scripts/expect_information.py"


rule summarize_recovery:
    input:
        fits=sum(RECOVERY_FITS.values(), []),
        information=f"{RESULTS}/recovery/information.nc",
    output:
        summary=f"{RESULTS}/recovery/summary.nc",
        table=report(
            f"{RESULTS}/figures/figure6_steps_needed.csv",
            caption="../report/steps_needed.rst",
            category="Supplement",
            labels={"table": "Steps needed for a wanted precision"},
        ),
    log:
        f"{RESULTS}/logs/summarize_recovery.log",
    params:
        config=sections("fitting", "prior"),
        n_files=[len(files) for files in RECOVERY_FITS.values()],
        slope_from=RECOVERY["slope_from"],
        efficiency_from=config["check"]["efficiency_from"],
        precisions=RECOVERY["precisions"],
        agreement_nats=config["check"]["start_agreement_nats"],
        source=source("summarize_recovery"),
    message:
        "Summarizing the recovery study"
    script:
        "../scripts/summarize_recovery.py"


rule figure6:
    input:
        summary=f"{RESULTS}/recovery/summary.nc",
    output:
        **drawn(6),
    log:
        f"{RESULTS}/logs/figure6.log",
    params:
        **module_of_figure(6),
    message:
        "Drawing Figure 6, recovery against data length"
    script:
        "../scripts/draw_figure.py"


rule judge_recovery:
    input:
        summary=f"{RESULTS}/recovery/summary.nc",
        fits=sum(RECOVERY_FITS.values(), []),
    output:
        table=f"{RESULTS}/check/criteria/recovery.csv",
    log:
        f"{RESULTS}/logs/judge_recovery.log",
    params:
        **module_of_criteria("recovery"),
        bounds=config["check"],
    message:
        "Judging the recovery study against the criteria of the configuration"
    script:
        "../scripts/judge_study.py"
