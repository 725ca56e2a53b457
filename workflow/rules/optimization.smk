# Optimization paths: plain EM, SQUAREM, quasi-Newton, from many starts (Figure 8).

if config["optimization"]["enabled"]:
    OPTIMIZATION = config["optimization"]

    def planned_paths():
        """What each file of optimization paths holds: its record, methods, and starts by number."""
        planned = {}

        def plan(stem, record, methods, start_from, n_starts, batch_size):
            for first, last in in_batches(0, n_starts, batch_size):
                planned[f"{stem}_starts{first}-{last}"] = {
                    "record": f"{RESULTS}/{record}.nc",
                    "methods": methods,
                    "start_from": start_from,
                    "starts": list(range(first, last + 1)),
                }

        few = OPTIMIZATION["n_curve_starts"], OPTIMIZATION["curve_batch_size"]
        many = OPTIMIZATION["n_starts"], OPTIMIZATION["batch_size"]
        for method in ("em", "squarem"):
            plan(f"chosen_{method}", "paper/record", [method], "chosen", *few)
        for choice in ("chosen", "drawn"):
            plan(f"{choice}_quasi_newton", "paper/record", ["quasi_newton"], choice, *many)
        for bins in OPTIMIZATION["diffusion_bins"]:
            record = f"optimization/records/diffusion{bins:g}"
            plan(f"diffusion{bins:g}", record, ["em", "quasi_newton"], "middle", 1, 1)
        return planned

    PATHS = planned_paths()

    def path_files(beginning):
        """Files of optimization paths whose name begins so."""
        return [
            f"{RESULTS}/optimization/paths/{stem}.nc"
            for stem in PATHS
            if stem.startswith(beginning)
        ]

    # The paper's agent but for its diffusion, with the same random numbers for each.
    rule simulate_diffusion:
        output:
            record=f"{RESULTS}/optimization/records/diffusion{{bins}}.nc",
        log:
            f"{RESULTS}/logs/simulate_diffusion{{bins}}.log",
        wildcard_constraints:
            bins=r"[\d.e-]+",
        priority: max(LENGTHS) + 2
        params:
            config=lambda wildcards: sections("task", "world", "agent")
            | {
                "task": sorted_by_key(
                    config["task"]
                    | {"diffusion": float(wildcards.bins) / config["task"]["n_bins"]}
                )
            },
            study="optimization",
            seeds=None,
            n_steps=config["paper"]["n_steps"],
            source=source("simulate_agent"),
        message:
            "Simulating an agent whose beliefs diffuse by {wildcards.bins} bins"
        script:
            "../scripts/simulate_agent.py"

    rule follow_optimization_paths:
        input:
            record=lambda wildcards: PATHS[wildcards.stem]["record"],
        output:
            paths=f"{RESULTS}/optimization/paths/{{stem}}.nc",
        log:
            f"{RESULTS}/logs/follow_{{stem}}.log",
        wildcard_constraints:
            stem="|".join(re.escape(stem) for stem in PATHS),
        # Hundreds of E-steps each: among the longest jobs of the run.
        priority: max(LENGTHS) + 1
        resources:
            runtime=lambda wildcards, attempt: attempt
            * minutes_of_fits(
                config["paper"]["n_steps"],
                len(PATHS[wildcards.stem]["starts"]),
                max(1, OPTIMIZATION["max_evaluations"] / 10),
            ),
        params:
            config=sections("fitting"),
            methods=lambda wildcards: PATHS[wildcards.stem]["methods"],
            start_from=lambda wildcards: PATHS[wildcards.stem]["start_from"],
            starts=lambda wildcards: PATHS[wildcards.stem]["starts"],
            max_evaluations=OPTIMIZATION["max_evaluations"],
            tolerance=OPTIMIZATION["tolerance"],
            source=source("follow_optimization_paths"),
        message:
            "Following optimization paths: {wildcards.stem}"
        script:
            "../scripts/follow_optimization_paths.py"

    rule summarize_optimization:
        input:
            drawn=path_files("drawn"),
            chosen=path_files("chosen"),
            diffused=path_files("diffusion"),
        output:
            summary=f"{RESULTS}/optimization/summary.nc",
        log:
            f"{RESULTS}/logs/summarize_optimization.log",
        params:
            config=sections("fitting"),
            n_curve_starts=OPTIMIZATION["n_curve_starts"],
            gaps=OPTIMIZATION["gaps"],
            max_evaluations=OPTIMIZATION["max_evaluations"],
            confidence_level=config["fitting"]["confidence_level"],
            source=source("summarize_optimization"),
        message:
            "Summarizing the optimization paths"
        script:
            "../scripts/summarize_optimization.py"

    rule figure8:
        input:
            summary=f"{RESULTS}/optimization/summary.nc",
        output:
            **drawn(8),
        log:
            f"{RESULTS}/logs/figure8.log",
        params:
            **module_of_figure(8),
        message:
            "Drawing Figure 8, optimization paths"
        script:
            "../scripts/draw_figure.py"

    rule judge_optimization:
        input:
            summary=f"{RESULTS}/optimization/summary.nc",
        output:
            table=f"{RESULTS}/check/criteria/optimization.csv",
        log:
            f"{RESULTS}/logs/judge_optimization.log",
        params:
            bounds=OPTIMIZATION["check"],
            **module_of_criteria("optimization"),
        message:
            "Judging the optimization paths against the criteria of the configuration"
        script:
            "../scripts/judge_study.py"
