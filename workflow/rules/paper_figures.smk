# Figures 1 to 5 and the criteria of the paper's one agent; Figures 2 to 5 for every animal.

STRETCH = {
    "first_step": config["figures"]["example_start"],
    "n_steps": config["figures"]["example_steps"],
}
# What the figures of an animal show: all that is known without a truth.
ANIMAL_INPUTS = {
    2: ("record",),
    3: (
        *("fit", "surface"),
        *(["parameter_posterior"] if config["posterior"]["animals"] else []),
    ),
    4: ("record", "posterior"),
    5: ("behavior",),
}
ANIMAL_FIGURES = [
    f"{RESULTS}/figures/{animal}_figure{number}.{form}"
    for animal in ANIMALS
    for number in ANIMAL_INPUTS
    for form in ("pdf", "png")
]


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
            for kind in ("fit", "em_trajectory", "posterior", "behavior")
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
