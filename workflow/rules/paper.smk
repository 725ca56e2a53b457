# The paper's one agent, and for every animal what can be had without a truth: fit, posterior, beliefs.

# Figures 1 to 5 come before the other studies; EM is the longest job on their way.
PAPER_FIRST = 10**6
# Whose draws are carried on to decoding and resimulation; nothing where none are made.
POSTERIORS = {
    name: f"{RESULTS}/{name}/parameter_posterior.nc" if wanted else []
    for name, wanted in (
        ("paper", config["posterior"]["paper"]),
        *((animal, config["posterior"]["animals"]) for animal in ANIMALS),
    )
}
CARRIED = {"n_carried": config["posterior"]["n_carried"]}


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


# Which parameters are free for an animal, and what is thought of them before.
FREE = (
    *("extras", "held", "from_world", "tied", "bounded"),
    *("prior", "start_ranges", "world"),
)
# How the files of an animal are laid out, and whose rows count.
LAYOUT = (
    *("columns", "codes", "subject", "session"),
    *("only_subject", "only_session", "missing_steps"),
)


rule convert_events:
    input:
        events=lambda wildcards: ANIMALS[wildcards.animal]["files"],
        positions=lambda wildcards: ANIMALS[wildcards.animal]["events"].get(
            "positions"
        )
        or [],
    output:
        steps=f"{RESULTS}/{{animal}}/steps.csv",
        decisions=f"{RESULTS}/{{animal}}/decisions.csv",
    log:
        f"{RESULTS}/logs/convert_{{animal}}.log",
    params:
        config=sections("task"),
        animal=lambda wildcards: keys_of_animal(
            wildcards.animal, "events", "task", *LAYOUT
        ),
        source=source("convert_events"),
    message:
        "Making steps of the events of {wildcards.animal}"
    script:
        "../scripts/convert_events.py"


rule import_animal:
    input:
        behavior=lambda wildcards: (
            f"{RESULTS}/{wildcards.animal}/steps.csv"
            if "events" in ANIMALS[wildcards.animal]
            else ANIMALS[wildcards.animal]["files"]
        ),
    output:
        record=f"{RESULTS}/{{animal}}/record.nc",
    log:
        f"{RESULTS}/logs/import_{{animal}}.log",
    params:
        config=sections("task", "world"),
        animal=lambda wildcards: keys_of_animal(
            wildcards.animal, "events", "task", "world", *LAYOUT
        ),
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
        **fits(
            config["paper"]["n_steps"], config["paper"]["n_starts"], 1, of_record=True
        ),
        mem_mb=memory_for_record,
    params:
        config=sections("fitting", "prior"),
        study=lambda wildcards: wildcards.dataset,
        numbers=None,
        n_steps=None,
        method=config["fitting"]["method"],
        n_starts=config["paper"]["n_starts"],
        n_reserve_starts=config["paper"]["n_reserve_starts"],
        free=lambda wildcards: keys_of_animal(wildcards.dataset, *FREE),
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
        **fits(config["paper"]["n_steps"], 1, 1, relative_cost=20, of_record=True),
        mem_mb=memory_for_record,
    params:
        config=sections("fitting", "prior"),
        study=lambda wildcards: wildcards.dataset,
        numbers=None,
        n_steps=None,
        method="em",
        n_starts=1,
        n_reserve_starts=0,
        free=lambda wildcards: keys_of_animal(wildcards.dataset, *FREE),
        source=source("fit_agent"),
    message:
        "Following plain EM for {wildcards.dataset}, from the draw of the fit's first start"


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
    resources:
        mem_mb=memory_for_record,
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
        parameter_posterior=lambda wildcards: POSTERIORS[wildcards.dataset],
    output:
        posterior=f"{RESULTS}/{{dataset}}/posterior.nc",
    log:
        f"{RESULTS}/logs/decode_{{dataset}}.log",
    wildcard_constraints:
        dataset="paper",
    priority: PAPER_FIRST
    resources:
        mem_mb=memory_for_blocks,
    params:
        **CARRIED,
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
        parameter_posterior=lambda wildcards: POSTERIORS[wildcards.dataset],
    output:
        behavior=f"{RESULTS}/{{dataset}}/behavior.nc",
    log:
        f"{RESULTS}/logs/resimulate_{{dataset}}.log",
    priority: PAPER_FIRST
    resources:
        mem_mb=memory_for_record,
    params:
        **CARRIED,
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
        parameter_posterior=POSTERIORS["paper"],
    output:
        models=f"{RESULTS}/paper/models.nc",
    log:
        f"{RESULTS}/logs/compare_models.log",
    priority: PAPER_FIRST
    params:
        **CARRIED,
        config=sections(),
        interval_level=config["posterior"]["interval_level"],
        source=source("compare_models"),
    message:
        "Comparing value function and policy of the true and the inferred agent"
    script:
        "../scripts/compare_models.py"
