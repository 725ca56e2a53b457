# Reduced models, a floor and grid search beside the full model (Figure 10).

if config["alternatives"]["enabled"]:

    rule fit_alternatives:
        output:
            f"{RESULTS}/alternatives/pairs/{BATCH}",
        log:
            f"{RESULTS}/logs/fit_alternatives_seeds{{first}}-{{last}}.log",
        priority: ALTERNATIVES["n_steps"]
        conda:
            "../../environment.yml"
        resources:
            runtime=lambda wildcards, attempt: attempt
            * minutes_of_fits(
                ALTERNATIVES["n_steps"],
                ALTERNATIVES["batch_size"],
                len(ALTERNATIVE_MODELS) * (ALTERNATIVES["n_starts"] + ALTERNATIVES["n_reserve_starts"]),
            ),
        params:
            config=alternatives_config(*ALTERNATIVE_KEYS),
            ranges=None,
            generating=None,
            seeds=batch_seeds,
            n_steps=ALTERNATIVES["n_steps"],
            source=source("fit_alternatives"),
        message:
            "Fitting every model to pairs {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/fit_alternatives.py"

    rule recover_models:
        output:
            f"{RESULTS}/alternatives/model_recovery/{{generating}}/{BATCH}",
        log:
            f"{RESULTS}/logs/recover_models_{{generating}}_seeds{{first}}-{{last}}.log",
        wildcard_constraints:
            generating="|".join(RECOVERED),
        priority: ALTERNATIVES["recovery_steps"]
        conda:
            "../../environment.yml"
        resources:
            runtime=lambda wildcards, attempt: attempt
            * minutes_of_fits(
                ALTERNATIVES["recovery_steps"],
                ALTERNATIVES["batch_size"],
                len(RECOVERED) * (ALTERNATIVES["n_starts"] + ALTERNATIVES["n_reserve_starts"]),
            ),
        params:
            config=alternatives_config(*ALTERNATIVE_KEYS),
            ranges=sorted_by_key(POPULATION["ranges"]),
            generating=lambda wildcards: wildcards.generating,
            seeds=batch_seeds,
            n_steps=ALTERNATIVES["recovery_steps"],
            source=source("fit_alternatives"),
        message:
            "Fitting every model to records {wildcards.first} to {wildcards.last} of {wildcards.generating}"
        script:
            "../scripts/fit_alternatives.py"

    rule search_by_brute_force:
        output:
            f"{RESULTS}/alternatives/brute_force.nc",
        log:
            f"{RESULTS}/logs/search_by_brute_force.log",
        priority: ALTERNATIVES["n_steps"]
        conda:
            "../../environment.yml"
        params:
            config=alternatives_config("n_starts", "max_evaluations", "search_doublings"),
            n_steps=ALTERNATIVES["n_steps"],
            source=source("search_by_brute_force"),
        message:
            "Searching the full model's likelihood by brute force"
        script:
            "../scripts/search_by_brute_force.py"

    rule summarize_alternatives:
        input:
            **ALTERNATIVE_RECOVERY,
            pairs=ALTERNATIVE_PAIRS,
            brute_force=f"{RESULTS}/alternatives/brute_force.nc",
        output:
            f"{RESULTS}/alternatives/summary.nc",
        log:
            f"{RESULTS}/logs/summarize_alternatives.log",
        conda:
            "../../environment.yml"
        params:
            config=alternatives_config("models", "n_steps", "recovery_steps"),
            models=ALTERNATIVE_MODELS,
            recovered=RECOVERED,
            source=source("summarize_alternatives"),
        message:
            "Summarizing the alternatives"
        script:
            "../scripts/summarize_alternatives.py"

    rule figure10:
        input:
            alternatives=f"{RESULTS}/alternatives/summary.nc",
        output:
            **drawn("figure10", 10),
        log:
            f"{RESULTS}/logs/figure10.log",
        conda:
            "../../environment.yml"
        params:
            source=source("figures/figure10_alternatives"),
        message:
            "Drawing Figure 10, alternatives of the full model"
        script:
            "../scripts/figures/figure10_alternatives.py"
