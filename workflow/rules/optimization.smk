# Optimization paths: plain EM, SQUAREM, quasi-Newton, from many starts (Figure 8).

if config["optimization"]["enabled"]:
    OPTIMIZATION = config["optimization"]

    FEW = in_batches(
        0, OPTIMIZATION["n_curve_starts"], OPTIMIZATION["curve_batch_size"]
    )
    MANY = in_batches(0, OPTIMIZATION["n_starts"], OPTIMIZATION["batch_size"])
    # Optimization paths by the name of their files: record, methods, kind of starts, their batches.
    PATHS = {
        "chosen_em": ("paper/record", ["em"], "chosen", FEW),
        "chosen_squarem": ("paper/record", ["squarem"], "chosen", FEW),
        "chosen_quasi_newton": ("paper/record", ["quasi_newton"], "chosen", MANY),
        "drawn_quasi_newton": ("paper/record", ["quasi_newton"], "drawn", MANY),
    }
    for bins in OPTIMIZATION["diffusion_bins"]:
        record = f"optimization/records/diffusion{bins:g}"
        PATHS[f"diffusion{bins:g}"] = (
            record,
            ["em", "quasi_newton"],
            "middle",
            [(0, 0)],
        )

    # Files of all optimization paths, by the kind of start.
    PATH_FILES = {}
    for name, (_, _, start_from, batches) in PATHS.items():
        PATH_FILES.setdefault(start_from, []).extend(
            batch_files(
                "optimization/paths", batches, f"{name}_starts{{first}}-{{last}}.nc"
            )
        )

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
            numbers=None,
            n_steps=config["paper"]["n_steps"],
            source=source("simulate_agent"),
        message:
            "Simulating an agent whose beliefs diffuse by {wildcards.bins} bins"
        script:
            "../scripts/simulate_agent.py"

    rule follow_optimization_paths:
        input:
            record=lambda wildcards: f"{RESULTS}/{PATHS[wildcards.name][0]}.nc",
        output:
            paths=f"{RESULTS}/optimization/paths/{{name}}_starts{{first}}-{{last}}.nc",
        log:
            f"{RESULTS}/logs/follow_{{name}}_starts{{first}}-{{last}}.log",
        wildcard_constraints:
            name="|".join(map(re.escape, PATHS)),
        # Hundreds of E-steps each: among the longest jobs of the run.
        priority: max(LENGTHS) + 1
        resources:
            # In fits from one start: plain EM and SQUAREM use up their E-steps.
            **fits(
                config["paper"]["n_steps"],
                1,
                relative_cost=lambda wildcards: (
                    1
                    if PATHS[wildcards.name][1] == ["quasi_newton"]
                    else OPTIMIZATION["max_evaluations"] / 20
                ),
            ),
        params:
            config=sections("fitting"),
            methods=lambda wildcards: PATHS[wildcards.name][1],
            start_from=lambda wildcards: PATHS[wildcards.name][2],
            starts=numbers_of_batch,
            max_evaluations=OPTIMIZATION["max_evaluations"],
            tolerance=OPTIMIZATION["tolerance"],
            source=source("follow_optimization_paths"),
        message:
            "Following optimization paths: {wildcards.name}, starts {wildcards.first} to {wildcards.last}"
        script:
            "../scripts/follow_optimization_paths.py"

    rule summarize_optimization:
        input:
            drawn=PATH_FILES["drawn"],
            chosen=PATH_FILES["chosen"],
            diffused=PATH_FILES["middle"],
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
            **module_of_criteria("optimization"),
            bounds=OPTIMIZATION["check"],
        message:
            "Judging the optimization paths against the criteria of the configuration"
        script:
            "../scripts/judge_study.py"
