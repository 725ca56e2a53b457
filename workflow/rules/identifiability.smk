# What the data cannot tell: information, weakest directions, profile likelihoods (Figure 9).

if config["identifiability"]["enabled"]:
    IDENTIFIABILITY = config["identifiability"]
    N_PROFILES = 11  # ten parameters and the weakest direction

    rule profile_likelihoods:
        input:
            record=f"{RESULTS}/paper/record.nc",
            fit=f"{RESULTS}/paper/fit.nc",
        output:
            f"{RESULTS}/identifiability/profiles/profiles{{first}}-{{last}}.nc",
        log:
            f"{RESULTS}/logs/profile_likelihoods{{first}}-{{last}}.log",
        conda:
            "../../environment.yml"
        resources:
            runtime=lambda wildcards, attempt: attempt
            # A point takes about as many E-steps as a fourth of a fit's start.
            * minutes_of_fits(
                config["paper"]["n_steps"],
                IDENTIFIABILITY["batch_size"],
                1 + IDENTIFIABILITY["points_per_side"] / 2,
            ),
        params:
            config=sections("fitting"),
            indices=lambda wildcards: list(
                range(int(wildcards.first), int(wildcards.last) + 1)
            ),
            points_per_side=IDENTIFIABILITY["points_per_side"],
            reach=IDENTIFIABILITY["reach"],
            source=source("profile_likelihoods"),
        message:
            "Profile likelihoods {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/profile_likelihoods.py"

    rule summarize_identifiability:
        input:
            fit=f"{RESULTS}/paper/fit.nc",
            profiles=[
                f"{RESULTS}/identifiability/profiles/profiles{first}-{last}.nc"
                for first, last in in_batches(
                    0, N_PROFILES, IDENTIFIABILITY["batch_size"]
                )
            ],
        output:
            summary=f"{RESULTS}/identifiability/summary.nc",
            text=report(
                f"{RESULTS}/identifiability/weakest_directions.txt",
                caption="../report/weakest_directions.rst",
                category="Figures",
                labels={"figure": "9. Identifiability, in words"},
            ),
        log:
            f"{RESULTS}/logs/summarize_identifiability.log",
        conda:
            "../../environment.yml"
        params:
            config=sections("fitting"),
            n_directions=IDENTIFIABILITY["n_directions"],
            source=source("summarize_identifiability"),
        message:
            "Summarizing what the data can and cannot tell"
        script:
            "../scripts/summarize_identifiability.py"

    rule figure9:
        input:
            identifiability=f"{RESULTS}/identifiability/summary.nc",
        output:
            **drawn("figure9", 9),
        log:
            f"{RESULTS}/logs/figure9.log",
        conda:
            "../../environment.yml"
        params:
            n_directions=IDENTIFIABILITY["n_directions"],
            source=source("figures/figure9_identifiability"),
        message:
            "Drawing Figure 9, what the data can and cannot tell"
        script:
            "../scripts/figures/figure9_identifiability.py"
