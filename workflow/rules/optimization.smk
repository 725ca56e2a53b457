# Ways to the maximum: plain and accelerated EM, quasi-Newton, many starts (Figure 8).

if OPTIMIZATION["enabled"]:

    # The paper's agent but for its diffusion, with the same random numbers for each.
    rule simulate_diffusion:
        output:
            f"{RESULTS}/optimization/records/diffusion{{bins}}.nc",
        log:
            f"{RESULTS}/logs/simulate_diffusion{{bins}}.log",
        wildcard_constraints:
            bins=r"[\d.e-]+",
        priority: max(LENGTHS) + 2
        conda:
            "../../environment.yml"
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

    rule climb_likelihood:
        input:
            record=lambda wildcards: CLIMBS[wildcards.climbs]["record"],
        output:
            f"{RESULTS}/optimization/climbs/{{climbs}}.nc",
        log:
            f"{RESULTS}/logs/climb_{{climbs}}.log",
        wildcard_constraints:
            climbs="|".join(re.escape(stem) for stem in CLIMBS),
        # Hundreds of E-steps each: among the longest jobs of the run.
        priority: max(LENGTHS) + 1
        conda:
            "../../environment.yml"
        resources:
            runtime=lambda wildcards, attempt: attempt
            * minutes_of_fits(
                config["paper"]["n_steps"],
                len(CLIMBS[wildcards.climbs]["starts"]),
                max(1, OPTIMIZATION["max_evaluations"] / 10),
            ),
        params:
            config=sections("fitting"),
            methods=lambda wildcards: CLIMBS[wildcards.climbs]["methods"],
            start_from=lambda wildcards: CLIMBS[wildcards.climbs]["start_from"],
            starts=lambda wildcards: CLIMBS[wildcards.climbs]["starts"],
            max_evaluations=OPTIMIZATION["max_evaluations"],
            tolerance=OPTIMIZATION["tolerance"],
            source=source("climb_likelihood"),
        message:
            "Climbing the likelihood: {wildcards.climbs}"
        script:
            "../scripts/climb_likelihood.py"

    rule summarize_optimization:
        input:
            drawn=climbs_from("drawn"),
            chosen=climbs_from("chosen"),
            diffused=climbs_from("diffusion"),
        output:
            f"{RESULTS}/optimization/summary.nc",
        log:
            f"{RESULTS}/logs/summarize_optimization.log",
        conda:
            "../../environment.yml"
        params:
            config=sections("fitting"),
            n_curve_starts=OPTIMIZATION["n_curve_starts"],
            gaps=OPTIMIZATION["gaps"],
            max_evaluations=OPTIMIZATION["max_evaluations"],
            level=config["fitting"]["confidence_level"],
            source=source("summarize_optimization"),
        message:
            "Summarizing the ways to the maximum"
        script:
            "../scripts/summarize_optimization.py"

    rule figure8:
        input:
            optimization=f"{RESULTS}/optimization/summary.nc",
        output:
            **drawn("figure8", 8),
        log:
            f"{RESULTS}/logs/figure8.log",
        conda:
            "../../environment.yml"
        params:
            source=source("figures/figure8_optimization"),
        message:
            "Drawing Figure 8, ways to the maximum"
        script:
            "../scripts/figures/figure8_optimization.py"
