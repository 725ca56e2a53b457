# Reduced models, baselines and brute force beside the full model (Figure 10).

from inverse_rational_control.alternative_models import (
    BASELINES,
    FULL,
    recovered_models,
)

if config["alternatives"]["enabled"]:

    ALTERNATIVES = config["alternatives"]
    ALTERNATIVE_MODELS = [FULL, *ALTERNATIVES["models"], *BASELINES]
    GENERATING_MODELS = [FULL, *recovered_models(ALTERNATIVES["models"]), *BASELINES]
    # Baselines are imported by their names.
    FITS_OF_ALTERNATIVES = source(
        "fit_alternatives",
        *(
            f"inverse_rational_control.studies.alternatives.{name}"
            for name in BASELINES
        ),
    )

    STARTS_PER_MODEL = ALTERNATIVES["n_starts"] + ALTERNATIVES["n_reserve_starts"]
    ALL_ACTORS = sections("task", "world", "agent", "fitting", "prior")
    HOW_TO_FIT = ALL_ACTORS | keys_of(
        *("alternatives", "models", "n_starts", "n_reserve_starts", "max_evaluations"),
        "n_evidence_draws",
        *(key for key in ALTERNATIVES if key.startswith(BASELINES)),
    )
    PAIRS = batch_files(
        "alternatives/pairs",
        in_batches(0, ALTERNATIVES["n_pairs"], ALTERNATIVES["batch_size"]),
    )
    REPLICATES = in_batches(0, ALTERNATIVES["n_replicates"], ALTERNATIVES["batch_size"])

    rule fit_alternatives:
        output:
            fits=f"{RESULTS}/alternatives/pairs/{BATCH}",
        log:
            f"{RESULTS}/logs/fit_alternatives_seeds{{first}}-{{last}}.log",
        priority: ALTERNATIVES["n_steps"]
        resources:
            **fits(ALTERNATIVES["n_steps"], len(ALTERNATIVE_MODELS) * STARTS_PER_MODEL),
        params:
            config=HOW_TO_FIT,
            ranges=None,
            generating=None,
            seeds=numbers_of_batch,
            n_steps=ALTERNATIVES["n_steps"],
            source=FITS_OF_ALTERNATIVES,
        message:
            "Fitting every model to pairs {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/fit_alternatives.py"

    rule recover_models:
        output:
            fits=f"{RESULTS}/alternatives/model_recovery/{{generating}}/{BATCH}",
        log:
            f"{RESULTS}/logs/recover_models_{{generating}}_seeds{{first}}-{{last}}.log",
        wildcard_constraints:
            generating="|".join(GENERATING_MODELS),
        priority: ALTERNATIVES["recovery_steps"]
        resources:
            **fits(
                ALTERNATIVES["recovery_steps"],
                len(GENERATING_MODELS) * STARTS_PER_MODEL,
            ),
        params:
            config=HOW_TO_FIT,
            ranges=sorted_by_key(config["population"]["ranges"]),
            generating=lambda wildcards: wildcards.generating,
            seeds=numbers_of_batch,
            n_steps=ALTERNATIVES["recovery_steps"],
            source=FITS_OF_ALTERNATIVES,
        message:
            "Fitting every model to records {wildcards.first} to {wildcards.last} of {wildcards.generating}"
        script:
            "../scripts/fit_alternatives.py"

    rule search_by_brute_force:
        output:
            searches=f"{RESULTS}/alternatives/brute_force.nc",
        log:
            f"{RESULTS}/logs/search_by_brute_force.log",
        priority: ALTERNATIVES["n_steps"]
        params:
            config=ALL_ACTORS
            | keys_of(
                "alternatives", "n_starts", "max_evaluations", "search_doublings"
            ),
            n_steps=ALTERNATIVES["n_steps"],
            source=source("search_by_brute_force"),
        message:
            "Searching the full model's likelihood by brute force"
        script:
            "../scripts/search_by_brute_force.py"

    rule summarize_alternatives:
        input:
            pairs=PAIRS,
            recovered=[
                path
                for name in GENERATING_MODELS
                for path in batch_files(
                    f"alternatives/model_recovery/{name}", REPLICATES
                )
            ],
            searches=f"{RESULTS}/alternatives/brute_force.nc",
        output:
            summary=f"{RESULTS}/alternatives/summary.nc",
        log:
            f"{RESULTS}/logs/summarize_alternatives.log",
        params:
            config=ALL_ACTORS
            | keys_of("alternatives", "models", "n_steps", "recovery_steps"),
            models=ALTERNATIVE_MODELS,
            generating=GENERATING_MODELS,
            source=source("summarize_alternatives"),
        message:
            "Summarizing the alternatives"
        script:
            "../scripts/summarize_alternatives.py"

    rule figure10:
        input:
            summary=f"{RESULTS}/alternatives/summary.nc",
        output:
            **drawn(10),
        log:
            f"{RESULTS}/logs/figure10.log",
        params:
            **module_of_figure(10),
        message:
            "Drawing Figure 10, alternatives of the full model"
        script:
            "../scripts/draw_figure.py"

    rule judge_alternatives:
        input:
            summary=f"{RESULTS}/alternatives/summary.nc",
        output:
            table=f"{RESULTS}/check/criteria/alternatives.csv",
        log:
            f"{RESULTS}/logs/judge_alternatives.log",
        params:
            **module_of_criteria("alternatives"),
            bounds=ALTERNATIVES["check"],
        message:
            "Judging the alternatives against the criteria of the configuration"
        script:
            "../scripts/judge_study.py"
