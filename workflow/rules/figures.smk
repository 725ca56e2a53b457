# Figures 1 to 6 (7 to 11: with their experiments), and for every animal what can be shown without a truth: PDF, PNG and numbers.

FIGURES = [
    f"{RESULTS}/figures/figure{number}.{form}"
    for number in [*range(1, 7), *EXPERIMENTS.values()]
    for form in ("pdf", "png")
]
ANIMAL_FIGURES = [
    f"{RESULTS}/figures/{animal}_figure{number}.{form}"
    for animal in ANIMALS
    for number in (2, 3, 4, 5)
    for form in ("pdf", "png")
]
STRETCH = {
    "first_step": config["figures"]["example_start"],
    "n_steps": config["figures"]["example_steps"],
}


rule figure1:
    output:
        **drawn("figure1", 1, numbers=False),
    log:
        f"{RESULTS}/logs/figure1.log",
    conda:
        "../../environment.yml"
    params:
        source=source("figures/figure1_graphical_models"),
    message:
        "Drawing Figure 1, the graphical models"
    script:
        "../scripts/figures/figure1_graphical_models.py"


rule figure2:
    input:
        record=f"{RESULTS}/paper/record.nc",
    output:
        **drawn("figure2", 2),
    log:
        f"{RESULTS}/logs/figure2.log",
    conda:
        "../../environment.yml"
    params:
        **STRETCH,
        source=source("figures/figure2_task_data"),
    message:
        "Drawing Figure 2, an example of task data"
    script:
        "../scripts/figures/figure2_task_data.py"


rule figure3:
    input:
        fit=f"{RESULTS}/paper/fit.nc",
        surface=f"{RESULTS}/paper/surface.nc",
    output:
        **drawn("figure3", 3),
    log:
        f"{RESULTS}/logs/figure3.log",
    conda:
        "../../environment.yml"
    params:
        source=source("figures/figure3_parameters"),
    message:
        "Drawing Figure 3, EM trajectory and parameters"
    script:
        "../scripts/figures/figure3_parameters.py"


rule figure4:
    input:
        record=f"{RESULTS}/paper/record.nc",
        posterior=f"{RESULTS}/paper/posterior.nc",
    output:
        **drawn("figure4", 4),
    log:
        f"{RESULTS}/logs/figure4.log",
    conda:
        "../../environment.yml"
    params:
        **STRETCH,
        source=source("figures/figure4_beliefs"),
    message:
        "Drawing Figure 4, decoded beliefs"
    script:
        "../scripts/figures/figure4_beliefs.py"


rule figure5:
    input:
        behavior=f"{RESULTS}/paper/behavior.nc",
        models=f"{RESULTS}/paper/models.nc",
    output:
        **drawn("figure5", 5),
    log:
        f"{RESULTS}/logs/figure5.log",
    conda:
        "../../environment.yml"
    params:
        source=source("figures/figure5_behavior"),
    message:
        "Drawing Figure 5, behavior of agent and inferred agent"
    script:
        "../scripts/figures/figure5_behavior.py"


rule figure6:
    input:
        recovery=f"{RESULTS}/recovery/summary.nc",
    output:
        **drawn("figure6", 6),
    log:
        f"{RESULTS}/logs/figure6.log",
    conda:
        "../../environment.yml"
    params:
        source=source("figures/figure6_recovery"),
    message:
        "Drawing Figure 6, recovery against data length"
    script:
        "../scripts/figures/figure6_recovery.py"


if ANIMALS:

    use rule figure2 as animal_figure2 with:
        input:
            record=f"{RESULTS}/{{animal}}/record.nc",
        output:
            **drawn("{animal}_figure2", 2),
        log:
            f"{RESULTS}/logs/{{animal}}_figure2.log",
        message:
            "Drawing Figure 2 for {wildcards.animal}"

    use rule figure3 as animal_figure3 with:
        input:
            fit=f"{RESULTS}/{{animal}}/fit.nc",
            surface=f"{RESULTS}/{{animal}}/surface.nc",
        output:
            **drawn("{animal}_figure3", 3),
        log:
            f"{RESULTS}/logs/{{animal}}_figure3.log",
        message:
            "Drawing Figure 3 for {wildcards.animal}"

    use rule figure4 as animal_figure4 with:
        input:
            record=f"{RESULTS}/{{animal}}/record.nc",
            posterior=f"{RESULTS}/{{animal}}/posterior.nc",
        output:
            **drawn("{animal}_figure4", 4),
        log:
            f"{RESULTS}/logs/{{animal}}_figure4.log",
        message:
            "Drawing Figure 4 for {wildcards.animal}"

    use rule figure5 as animal_figure5 with:
        input:
            behavior=f"{RESULTS}/{{animal}}/behavior.nc",
        output:
            **drawn("{animal}_figure5", 5),
        log:
            f"{RESULTS}/logs/{{animal}}_figure5.log",
        message:
            "Drawing Figure 5 for {wildcards.animal}"
