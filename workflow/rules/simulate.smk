# Records: the paper's agent simulated, animals imported.


rule simulate_paper:
    output:
        f"{RESULTS}/paper/record.nc",
    log:
        f"{RESULTS}/logs/simulate_paper.log",
    priority: max(LENGTHS) + 2
    conda:
        "../../environment.yml"
    params:
        config=sections("task", "world", "agent"),
        study="paper",
        seeds=None,
        n_steps=config["paper"]["n_steps"],
        source=source("simulate_agent"),
    message:
        "Simulating the paper's agent: {params.n_steps} steps"
    script:
        "../scripts/simulate_agent.py"


rule import_animal:
    input:
        lambda wildcards: ANIMALS[wildcards.animal],
    output:
        f"{RESULTS}/{{animal}}/record.nc",
    log:
        f"{RESULTS}/logs/import_{{animal}}.log",
    conda:
        "../../environment.yml"
    params:
        config=sections("task", "world"),
        source=source("import_animal"),
    message:
        "Reading the behavior of {wildcards.animal} from {input}"
    script:
        "../scripts/import_animal.py"
