# Records: the paper's agent simulated, animals imported.


rule simulate_paper:
    output:
        f"{RESULTS}/paper/record.nc",
    params:
        config=sections("task", "world", "agent"),
        study="paper",
        seeds=None,
        n_steps=config["paper"]["n_steps"],
        source=source("simulate_agent"),
    log:
        f"{RESULTS}/logs/simulate_paper.log",
    message:
        "Simulating the paper's agent: {params.n_steps} steps"
    script:
        script("simulate_agent")


rule import_animal:
    input:
        lambda wildcards: ANIMALS[wildcards.animal],
    output:
        f"{RESULTS}/{{animal}}/record.nc",
    params:
        config=sections("task", "world"),
        source=source("import_animal"),
    log:
        f"{RESULTS}/logs/import_{{animal}}.log",
    message:
        "Reading the behaviour of {wildcards.animal} from {input}"
    script:
        script("import_animal")
