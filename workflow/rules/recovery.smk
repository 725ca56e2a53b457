# The recovery study: seeds x data lengths, several seeds per job.

RECOVERY = config["recovery"]
LENGTHS = RECOVERY["n_steps"]
BATCHES = [
    (first, min(first + RECOVERY["batch_size"], RECOVERY["n_seeds"]) - 1)
    for first in range(0, RECOVERY["n_seeds"], RECOVERY["batch_size"])
]
BATCH = "seeds{first}-{last}.nc"


def batch_seeds(wildcards):
    """The seeds of a batch, as numbers."""
    return list(range(int(wildcards.first), int(wildcards.last) + 1))


def recovery_fits(n_steps):
    """The batch files of one data length."""
    return [
        f"{RESULTS}/recovery/fits/steps{n_steps}/{BATCH.format(first=first, last=last)}"
        for first, last in BATCHES
    ]


rule simulate_recovery:
    output:
        f"{RESULTS}/recovery/records/{BATCH}",
    params:
        config=sections("task", "world", "agent"),
        study="recovery",
        seeds=batch_seeds,
        n_steps=max(LENGTHS),
        source=source("simulate_agent"),
    log:
        f"{RESULTS}/logs/simulate_recovery_seeds{{first}}-{{last}}.log",
    message:
        "Simulating seeds {wildcards.first} to {wildcards.last}: {params.n_steps} steps each"
    script:
        script("simulate_agent")


rule fit_recovery:
    input:
        record=f"{RESULTS}/recovery/records/{BATCH}",
    output:
        f"{RESULTS}/recovery/fits/steps{{n_steps}}/{BATCH}",
    params:
        config=sections("fitting"),
        study="recovery",
        seeds=batch_seeds,
        n_steps=lambda wildcards: int(wildcards.n_steps),
        method=config["fitting"]["method"],
        n_starts=RECOVERY["n_starts"],
        n_reserve_starts=RECOVERY["n_reserve_starts"],
        source=source("fit_agent"),
    log:
        f"{RESULTS}/logs/fit_recovery_steps{{n_steps}}_seeds{{first}}-{{last}}.log",
    resources:
        runtime=lambda wildcards, attempt: attempt
        * minutes_of_fits(
            int(wildcards.n_steps), RECOVERY["batch_size"], RECOVERY["n_starts"]
        ),
    message:
        "Fitting the first {wildcards.n_steps} steps of seeds {wildcards.first} to {wildcards.last}"
    script:
        script("fit_agent")


rule summarize_recovery:
    input:
        **{f"steps{n_steps}": recovery_fits(n_steps) for n_steps in LENGTHS},
    output:
        f"{RESULTS}/recovery/summary.nc",
    params:
        config=sections("fitting"),
        lengths=LENGTHS,
        slope_from=RECOVERY["slope_from"],
        agreement_nats=config["check"]["start_agreement_nats"],
        source=source("summarize_recovery"),
    log:
        f"{RESULTS}/logs/summarize_recovery.log",
    message:
        "Summarising the recovery study"
    script:
        script("summarize_recovery")
