# The paper's one agent, Figures 1 to 5, and for every animal what can be shown without a truth.

# Figures 1 to 5 come before the other studies; EM is the longest job on their way.
PAPER_FIRST = 10**6
STRETCH = {
    "first_step": config["figures"]["example_start"],
    "n_steps": config["figures"]["example_steps"],
}
# What the figures of an animal show: all that is known without a truth.
ANIMAL_INPUTS = {
    2: ("record",),
    3: ("fit", "surface"),
    4: ("record", "posterior"),
    5: ("behavior",),
}
ANIMAL_FIGURES = [
    f"{RESULTS}/figures/{animal}_figure{number}.{form}"
    for animal in ANIMALS
    for number in ANIMAL_INPUTS
    for form in ("pdf", "png")
]


rule simulate_paper:
    output:
        record=f"{RESULTS}/paper/record.nc",
    log:
        f"{RESULTS}/logs/simulate_paper.log",
    priority: PAPER_FIRST + 2
    params:
        config=sections("task", "world", "agent"),
        study="paper",
        numbers=None,
        n_steps=config["paper"]["n_steps"],
        source=source("simulate_agent"),
    message:
        "Simulating the paper's agent: {params.n_steps} steps"
    script:
        "../scripts/simulate_agent.py"


rule import_animal:
    input:
        behavior=lambda wildcards: ANIMALS[wildcards.animal],
    output:
        record=f"{RESULTS}/{{animal}}/record.nc",
    log:
        f"{RESULTS}/logs/import_{{animal}}.log",
    params:
        config=sections("task", "world"),
        source=source("import_animal"),
    message:
        "Reading the behavior of {wildcards.animal} from {input.behavior}"
    script:
        "../scripts/import_animal.py"


rule fit_agent:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
    output:
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
    log:
        f"{RESULTS}/logs/fit_{{dataset}}.log",
    priority: PAPER_FIRST
    resources:
        **fits(config["paper"]["n_steps"], config["paper"]["n_starts"], 1),
    params:
        config=sections("fitting"),
        study=lambda wildcards: wildcards.dataset,
        numbers=None,
        n_steps=None,
        method=config["fitting"]["method"],
        n_starts=config["paper"]["n_starts"],
        n_reserve_starts=config["paper"]["n_reserve_starts"],
        source=source("fit_agent"),
    message:
        "Fitting {wildcards.dataset}: {params.n_starts} starts"
    script:
        "../scripts/fit_agent.py"


use rule fit_agent as follow_em with:
    output:
        fit=f"{RESULTS}/{{dataset}}/em_trajectory.nc",
    log:
        f"{RESULTS}/logs/follow_em_{{dataset}}.log",
    priority: PAPER_FIRST + 1
    resources:
        **fits(config["paper"]["n_steps"], 1, 1, relative_cost=20),
    params:
        config=sections("fitting"),
        study=lambda wildcards: wildcards.dataset,
        numbers=None,
        n_steps=None,
        method="em",
        n_starts=1,
        n_reserve_starts=0,
        source=source("fit_agent"),
    message:
        "Following plain EM for {wildcards.dataset}, from the fit's first start"


rule map_likelihood:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
        em_trajectory=f"{RESULTS}/{{dataset}}/em_trajectory.nc",
    output:
        surface=f"{RESULTS}/{{dataset}}/surface.nc",
    log:
        f"{RESULTS}/logs/surface_{{dataset}}.log",
    priority: PAPER_FIRST
    params:
        config=sections("surface"),
        n_points=config["surface"]["n_points"],
        source=source("map_likelihood"),
    message:
        "Mapping the log-likelihood of {wildcards.dataset}: {params.n_points} x {params.n_points}"
    script:
        "../scripts/map_likelihood.py"


rule decode_beliefs:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
    output:
        posterior=f"{RESULTS}/{{dataset}}/posterior.nc",
    log:
        f"{RESULTS}/logs/decode_{{dataset}}.log",
    priority: PAPER_FIRST
    params:
        config=sections(),
        source=source("decode_beliefs"),
    message:
        "Decoding the beliefs of {wildcards.dataset}"
    script:
        "../scripts/decode_beliefs.py"


rule resimulate_agent:
    input:
        record=f"{RESULTS}/{{dataset}}/record.nc",
        fit=f"{RESULTS}/{{dataset}}/fit.nc",
    output:
        behavior=f"{RESULTS}/{{dataset}}/behavior.nc",
    log:
        f"{RESULTS}/logs/resimulate_{{dataset}}.log",
    priority: PAPER_FIRST
    params:
        config=sections("resimulation"),
        study=lambda wildcards: wildcards.dataset,
        n_replicates=config["resimulation"]["n_replicates"],
        source=source("resimulate_agent"),
    message:
        "Simulating the agent inferred from {wildcards.dataset} {params.n_replicates} times"
    script:
        "../scripts/resimulate_agent.py"


rule compare_models:
    input:
        record=f"{RESULTS}/paper/record.nc",
        fit=f"{RESULTS}/paper/fit.nc",
    output:
        models=f"{RESULTS}/paper/models.nc",
    log:
        f"{RESULTS}/logs/compare_models.log",
    priority: PAPER_FIRST
    params:
        config=sections(),
        source=source("compare_models"),
    message:
        "Comparing value function and policy of the true and the inferred agent"
    script:
        "../scripts/compare_models.py"


rule figure1:
    output:
        **drawn(1, numbers=False),
    log:
        f"{RESULTS}/logs/figure1.log",
    priority: PAPER_FIRST + 1
    params:
        **module_of_figure(1),
    message:
        "Drawing Figure 1, the graphical models"
    script:
        "../scripts/draw_figure.py"


rule figure2:
    input:
        record=f"{RESULTS}/paper/record.nc",
    output:
        **drawn(2),
    log:
        f"{RESULTS}/logs/figure2.log",
    priority: PAPER_FIRST + 1
    params:
        **module_of_figure(2),
        **STRETCH,
    message:
        "Drawing Figure 2, an example of task data"
    script:
        "../scripts/draw_figure.py"


rule figure3:
    input:
        fit=f"{RESULTS}/paper/fit.nc",
        surface=f"{RESULTS}/paper/surface.nc",
    output:
        **drawn(3),
    log:
        f"{RESULTS}/logs/figure3.log",
    priority: PAPER_FIRST
    params:
        **module_of_figure(3),
    message:
        "Drawing Figure 3, the EM trajectory and the parameters"
    script:
        "../scripts/draw_figure.py"


rule figure4:
    input:
        record=f"{RESULTS}/paper/record.nc",
        posterior=f"{RESULTS}/paper/posterior.nc",
    output:
        **drawn(4),
    log:
        f"{RESULTS}/logs/figure4.log",
    priority: PAPER_FIRST
    params:
        **module_of_figure(4),
        **STRETCH,
    message:
        "Drawing Figure 4, decoded beliefs"
    script:
        "../scripts/draw_figure.py"


rule figure5:
    input:
        behavior=f"{RESULTS}/paper/behavior.nc",
        models=f"{RESULTS}/paper/models.nc",
    output:
        **drawn(5),
    log:
        f"{RESULTS}/logs/figure5.log",
    priority: PAPER_FIRST
    params:
        **module_of_figure(5),
    message:
        "Drawing Figure 5, behavior of the agent and of the inferred agent"
    script:
        "../scripts/draw_figure.py"


rule judge_paper:
    input:
        **{
            kind: f"{RESULTS}/paper/{kind}.nc"
            for kind in ("fit", "em_trajectory", "posterior", "behavior", "models")
        },
    output:
        table=f"{RESULTS}/check/criteria/paper.csv",
    log:
        f"{RESULTS}/logs/judge_paper.log",
    params:
        **module_of_criteria("paper"),
        bounds=config["check"],
    message:
        "Judging the paper's agent against the criteria of the configuration"
    script:
        "../scripts/judge_study.py"


for number, kinds in ANIMAL_INPUTS.items() if ANIMALS else ():

    rule:
        name:
            f"animal_figure{number}"
        input:
            **{kind: f"{RESULTS}/{{animal}}/{kind}.nc" for kind in kinds},
        output:
            **drawn(number, animal=True),
        log:
            f"{RESULTS}/logs/{{animal}}_figure{number}.log",
        priority: PAPER_FIRST
        params:
            **module_of_figure(number),
            **(STRETCH if number in (2, 4) else {}),
        message:
            f"Drawing Figure {number} for {{wildcards.animal}}"
        script:
            "../scripts/draw_figure.py"
