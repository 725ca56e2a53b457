# What the data cannot tell: information, weakest directions, profile likelihoods (Figure 9).

if config["identifiability"]["enabled"]:
    IDENTIFIABILITY = config["identifiability"]
    # Every parameter of the agent, those that it has not left out, and the weakest direction.
    N_PROFILES = 1 + sum(value is not None for value in config["agent"].values())
    PROFILE_BATCH = "profiles{first}-{last}.nc"

    rule profile_likelihoods:
        input:
            record=f"{RESULTS}/paper/record.nc",
            fit=f"{RESULTS}/paper/fit.nc",
        output:
            profiles=f"{RESULTS}/identifiability/profiles/{PROFILE_BATCH}",
        log:
            f"{RESULTS}/logs/profile_likelihoods{{first}}-{{last}}.log",
        resources:
            # A point takes about as many E-steps as a fourth of a fit's start.
            **fits(
                config["paper"]["n_steps"], 1 + IDENTIFIABILITY["points_per_side"] / 2
            ),
        params:
            config=sections("fitting"),
            indices=numbers_of_batch,
            points_per_side=IDENTIFIABILITY["points_per_side"],
            reach=IDENTIFIABILITY["reach"],
            source=source("profile_likelihoods"),
        message:
            "Tracing the profile likelihoods {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/profile_likelihoods.py"

    rule summarize_identifiability:
        input:
            fit=f"{RESULTS}/paper/fit.nc",
            profiles=batch_files(
                "identifiability/profiles",
                in_batches(0, N_PROFILES, IDENTIFIABILITY["batch_size"]),
                PROFILE_BATCH,
            ),
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
            summary=f"{RESULTS}/identifiability/summary.nc",
        output:
            **drawn(9),
        log:
            f"{RESULTS}/logs/figure9.log",
        params:
            **module_of_figure(9),
            n_directions=IDENTIFIABILITY["n_directions"],
        message:
            "Drawing Figure 9, what the data can and cannot tell"
        script:
            "../scripts/draw_figure.py"

    rule judge_identifiability:
        input:
            summary=f"{RESULTS}/identifiability/summary.nc",
        output:
            table=f"{RESULTS}/check/criteria/identifiability.csv",
        log:
            f"{RESULTS}/logs/judge_identifiability.log",
        params:
            **module_of_criteria("identifiability"),
            bounds=IDENTIFIABILITY["check"],
        message:
            "Judging what the data tell against the criteria of the configuration"
        script:
            "../scripts/judge_study.py"
