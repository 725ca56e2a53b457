# Many agents, drawn over stated ranges: recovery, coverage, fixed points of their plans (Figure 7).

if config["population"]["enabled"]:

    rule simulate_population:
        output:
            f"{RESULTS}/population/records/{AGENT_BATCH}",
        log:
            f"{RESULTS}/logs/simulate_population_agents{{first}}-{{last}}.log",
        priority: POPULATION["n_steps"] + 1
        conda:
            "../../environment.yml"
        params:
            config=sections("task", "world"),
            ranges=sorted_by_key(POPULATION["ranges"]),
            seeds=batch_seeds,
            n_steps=POPULATION["n_steps"],
            source=source("simulate_population"),
        message:
            "Simulating agents {wildcards.first} to {wildcards.last}: {params.n_steps} steps each"
        script:
            "../scripts/simulate_population.py"

    rule fit_population:
        input:
            record=f"{RESULTS}/population/records/{AGENT_BATCH}",
        output:
            f"{RESULTS}/population/fits/{AGENT_BATCH}",
        log:
            f"{RESULTS}/logs/fit_population_agents{{first}}-{{last}}.log",
        priority: POPULATION["n_steps"]
        conda:
            "../../environment.yml"
        resources:
            runtime=lambda wildcards, attempt: attempt
            * minutes_of_fits(
                POPULATION["n_steps"], POPULATION["batch_size"], POPULATION["n_starts"]
            ),
        params:
            config=sections("fitting"),
            study="population",
            seeds=batch_seeds,
            n_steps=POPULATION["n_steps"],
            method=config["fitting"]["method"],
            n_starts=POPULATION["n_starts"],
            n_reserve_starts=POPULATION["n_reserve_starts"],
            source=source("fit_agent"),
        message:
            "Fitting agents {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/fit_agent.py"

    rule find_fixed_points:
        input:
            record=f"{RESULTS}/population/records/{AGENT_BATCH}",
        output:
            f"{RESULTS}/population/fixed_points/{AGENT_BATCH}",
        log:
            f"{RESULTS}/logs/find_fixed_points_agents{{first}}-{{last}}.log",
        conda:
            "../../environment.yml"
        params:
            config=sections(),
            seeds=batch_seeds,
            n_random=POPULATION["n_planner_starts"],
            source=source("find_fixed_points"),
        message:
            "Searching the fixed points of agents {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/find_fixed_points.py"

    rule summarize_population:
        input:
            fits=population_files("fits"),
            fixed_points=population_files("fixed_points"),
        output:
            summary=f"{RESULTS}/population/summary.nc",
            fixed_points=report(
                f"{RESULTS}/population/fixed_points.csv",
                caption="../report/fixed_points.rst",
                category="Supplement",
                labels={"table": "Fixed points of the agents' plans"},
            ),
        log:
            f"{RESULTS}/logs/summarize_population.log",
        conda:
            "../../environment.yml"
        params:
            config=sections(),
            levels=POPULATION["interval_levels"],
            source=source("summarize_population"),
        message:
            "Summarizing the population"
        script:
            "../scripts/summarize_population.py"

    rule figure7:
        input:
            population=f"{RESULTS}/population/summary.nc",
        output:
            **drawn("figure7", 7),
        log:
            f"{RESULTS}/logs/figure7.log",
        conda:
            "../../environment.yml"
        params:
            source=source("figures/figure7_population"),
        message:
            "Drawing Figure 7, many agents"
        script:
            "../scripts/figures/figure7_population.py"
