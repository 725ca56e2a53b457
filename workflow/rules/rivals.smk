# Reduced models, a floor and grid search beside the full model (Figure 10).

if config["rivals"]["enabled"]:

    rule fit_rivals:
        output:
            f"{RESULTS}/rivals/pairs/{BATCH}",
        log:
            f"{RESULTS}/logs/fit_rivals_seeds{{first}}-{{last}}.log",
        priority: RIVALS["n_steps"]
        conda:
            "../../environment.yml"
        resources:
            runtime=lambda wildcards, attempt: attempt
            * minutes_of_fits(
                RIVALS["n_steps"],
                RIVALS["batch_size"],
                len(RIVAL_MODELS) * (RIVALS["n_starts"] + RIVALS["n_reserve_starts"]),
            ),
        params:
            config=rivals_config(*RIVAL_KEYS),
            ranges=None,
            generating=None,
            seeds=batch_seeds,
            n_steps=RIVALS["n_steps"],
            source=source("fit_rivals"),
        message:
            "Fitting every model to pairs {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/fit_rivals.py"

    rule recover_models:
        output:
            f"{RESULTS}/rivals/model_recovery/{{generating}}/{BATCH}",
        log:
            f"{RESULTS}/logs/recover_models_{{generating}}_seeds{{first}}-{{last}}.log",
        wildcard_constraints:
            generating="|".join(RECOVERED),
        priority: RIVALS["recovery_steps"]
        conda:
            "../../environment.yml"
        resources:
            runtime=lambda wildcards, attempt: attempt
            * minutes_of_fits(
                RIVALS["recovery_steps"],
                RIVALS["batch_size"],
                len(RECOVERED) * (RIVALS["n_starts"] + RIVALS["n_reserve_starts"]),
            ),
        params:
            config=rivals_config(*RIVAL_KEYS),
            ranges=sorted_by_key(POPULATION["ranges"]),
            generating=lambda wildcards: wildcards.generating,
            seeds=batch_seeds,
            n_steps=RIVALS["recovery_steps"],
            source=source("fit_rivals"),
        message:
            "Fitting every model to records {wildcards.first} to {wildcards.last} of {wildcards.generating}"
        script:
            "../scripts/fit_rivals.py"

    rule search_by_brute_force:
        output:
            f"{RESULTS}/rivals/brute_force.nc",
        log:
            f"{RESULTS}/logs/search_by_brute_force.log",
        priority: RIVALS["n_steps"]
        conda:
            "../../environment.yml"
        params:
            config=rivals_config("n_starts", "max_evaluations", "search_doublings"),
            n_steps=RIVALS["n_steps"],
            source=source("search_by_brute_force"),
        message:
            "Searching the full model's likelihood by brute force"
        script:
            "../scripts/search_by_brute_force.py"

    rule summarize_rivals:
        input:
            **RIVAL_RECOVERY,
            pairs=RIVAL_PAIRS,
            brute_force=f"{RESULTS}/rivals/brute_force.nc",
        output:
            f"{RESULTS}/rivals/summary.nc",
        log:
            f"{RESULTS}/logs/summarize_rivals.log",
        conda:
            "../../environment.yml"
        params:
            config=rivals_config("models", "n_steps", "recovery_steps"),
            models=RIVAL_MODELS,
            recovered=RECOVERED,
            source=source("summarize_rivals"),
        message:
            "Summarising the rivals"
        script:
            "../scripts/summarize_rivals.py"

    rule figure10:
        input:
            rivals=f"{RESULTS}/rivals/summary.nc",
        output:
            **drawn("figure10", 10),
        log:
            f"{RESULTS}/logs/figure10.log",
        conda:
            "../../environment.yml"
        params:
            source=source("figures/figure10_rivals"),
        message:
            "Drawing Figure 10, rivals of the full model"
        script:
            "../scripts/figures/figure10_rivals.py"
