# Many agents, drawn over stated ranges: recovery, coverage, fixed points of their plans (Figure 7).

from inverse_rational_control.studies.population.drawn_agents import drawn_agents

if config["population"]["enabled"]:
    POPULATION = config["population"]
    AGENT_BATCH = "agents{first}-{last}.nc"
    AGENT_BATCHES = in_batches(0, POPULATION["n_agents"], POPULATION["batch_size"])

    rule simulate_population:
        output:
            record=f"{RESULTS}/population/records/{AGENT_BATCH}",
        log:
            f"{RESULTS}/logs/simulate_population_agents{{first}}-{{last}}.log",
        priority: POPULATION["n_steps"] + 1
        params:
            config=sections("task", "world"),
            ranges=sorted_by_key(POPULATION["ranges"]),
            agents=numbers_of_batch,
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
            fit=f"{RESULTS}/population/fits/{AGENT_BATCH}",
        log:
            f"{RESULTS}/logs/fit_population_agents{{first}}-{{last}}.log",
        priority: POPULATION["n_steps"]
        resources:
            **fits(POPULATION["n_steps"], POPULATION["n_starts"]),
        params:
            config=sections("fitting", "prior"),
            study="population",
            numbers=numbers_of_batch,
            n_steps=POPULATION["n_steps"],
            method=config["fitting"]["method"],
            n_starts=POPULATION["n_starts"],
            n_reserve_starts=POPULATION["n_reserve_starts"],
            # Coverage needs to know only whether they hold the truth.
            interval_ends=False,
            source=source("fit_agent"),
        message:
            "Fitting agents {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/fit_agent.py"

    SEARCHED_AGAIN = drawn_agents(
        config["root_seed"],
        POPULATION["n_agents"],
        POPULATION["search_again_share"],
    )

    rule search_again:
        input:
            record=file_of_agent("population/records", AGENT_BATCHES, AGENT_BATCH),
            fit=file_of_agent("population/fits", AGENT_BATCHES, AGENT_BATCH),
        output:
            again=f"{RESULTS}/population/search_again/agent{{agent}}.nc",
        log:
            f"{RESULTS}/logs/search_again_agent{{agent}}.log",
        wildcard_constraints:
            agent=r"\d+",
        priority: POPULATION["n_steps"]
        resources:
            **fits(POPULATION["n_steps"], POPULATION["n_search_again_starts"], 1),
        params:
            config=sections("fitting", "prior"),
            agent=lambda wildcards: int(wildcards.agent),
            n_steps=POPULATION["n_steps"],
            n_starts=POPULATION["n_search_again_starts"],
            source=source("search_again"),
        message:
            "Searching the maximum of agent {wildcards.agent} again"
        script:
            "../scripts/search_again.py"

    SLOW_AGENTS = (
        sorted(POPULATION["slow_agents"]) if POPULATION["n_slow_starts"] else []
    )

    rule search_slow_agent:
        output:
            again=f"{RESULTS}/population/slow_agents/{{slow_agent}}.nc",
        log:
            f"{RESULTS}/logs/search_slow_agent_{{slow_agent}}.log",
        wildcard_constraints:
            slow_agent=r"\w+",
        priority: POPULATION["n_slow_steps"]
        resources:
            **fits(
                POPULATION["n_slow_steps"],
                POPULATION["n_starts"] + POPULATION["n_slow_starts"],
                1,
                3.0,
            ),
        params:
            config=sections("task", "fitting"),
            agent=lambda wildcards: POPULATION["slow_agents"][wildcards.slow_agent],
            world=POPULATION["slow_world"],
            name=lambda wildcards: wildcards.slow_agent,
            n_steps=POPULATION["n_slow_steps"],
            n_starts=POPULATION["n_starts"],
            n_reserve_starts=POPULATION["n_reserve_starts"],
            n_again=POPULATION["n_slow_starts"],
            source=source("search_slow_agent"),
        message:
            "Fitting the slow agent {wildcards.slow_agent}, and searching its maximum again"
        script:
            "../scripts/search_slow_agent.py"

    rule find_fixed_points:
        input:
            record=f"{RESULTS}/population/records/{AGENT_BATCH}",
        output:
            fixed_points=f"{RESULTS}/population/fixed_points/{AGENT_BATCH}",
        log:
            f"{RESULTS}/logs/find_fixed_points_agents{{first}}-{{last}}.log",
        params:
            config=sections(),
            agents=numbers_of_batch,
            n_random=POPULATION["n_planner_starts"],
            source=source("find_fixed_points"),
        message:
            "Searching the fixed points of agents {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/find_fixed_points.py"

    rule summarize_population:
        input:
            fits=batch_files("population/fits", AGENT_BATCHES, AGENT_BATCH),
            fixed_points=batch_files(
                "population/fixed_points", AGENT_BATCHES, AGENT_BATCH
            ),
        output:
            summary=f"{RESULTS}/population/summary.nc",
            table=report(
                f"{RESULTS}/population/fixed_points.csv",
                caption="../report/fixed_points.rst",
                category="Supplement",
                labels={"table": "Fixed points of the agents' plans"},
            ),
        log:
            f"{RESULTS}/logs/summarize_population.log",
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
            summary=f"{RESULTS}/population/summary.nc",
        output:
            **drawn(7),
        log:
            f"{RESULTS}/logs/figure7.log",
        params:
            **module_of_figure(7),
        message:
            "Drawing Figure 7, many agents"
        script:
            "../scripts/draw_figure.py"

    rule judge_population:
        input:
            summary=f"{RESULTS}/population/summary.nc",
            again=expand(
                f"{RESULTS}/population/search_again/agent{{agent}}.nc",
                agent=SEARCHED_AGAIN,
            ),
            slow=expand(
                f"{RESULTS}/population/slow_agents/{{slow_agent}}.nc",
                slow_agent=SLOW_AGENTS,
            ),
        output:
            table=f"{RESULTS}/check/criteria/population.csv",
        log:
            f"{RESULTS}/logs/judge_population.log",
        params:
            **module_of_criteria("population"),
            bounds=POPULATION["check"],
        message:
            "Judging the population against the criteria of the configuration"
        script:
            "../scripts/judge_study.py"
