# What the experiments beyond the paper's share with no one else: their files and batches.


# Figure 7
POPULATION = config["population"]
AGENT_BATCH = "agents{first}-{last}.nc"
AGENT_BATCHES = in_batches(0, POPULATION["n_agents"], POPULATION["batch_size"])


def population_files(folder):
    """The batch files of one step."""
    return [
        f"{RESULTS}/population/{folder}/{AGENT_BATCH.format(first=first, last=last)}"
        for first, last in AGENT_BATCHES
    ]


# Figure 8
OPTIMIZATION = config["optimization"]


def batches_of_starts(n_starts, batch_size):
    """Numbers of the starts, job by job."""
    return [
        list(range(first, last + 1))
        for first, last in in_batches(0, n_starts, batch_size)
    ]


def planned_climbs():
    """What each file of climbs holds: record, methods, kind and numbers of the starts."""
    record = f"{RESULTS}/paper/record.nc"
    climbs = {}

    def plan(record, methods, start_from, batches, stem):
        for starts in batches:
            climbs[f"{stem}_starts{starts[0]}-{starts[-1]}"] = {
                "record": record,
                "methods": methods,
                "start_from": start_from,
                "starts": starts,
            }

    few = batches_of_starts(
        OPTIMIZATION["n_curve_starts"], OPTIMIZATION["curve_batch_size"]
    )
    for method in ("em", "squarem"):
        plan(record, [method], "chosen", few, f"chosen_{method}")
    many = batches_of_starts(OPTIMIZATION["n_starts"], OPTIMIZATION["batch_size"])
    for start_from in ("chosen", "drawn"):
        plan(record, ["quasi_newton"], start_from, many, f"{start_from}_quasi_newton")
    for bins in OPTIMIZATION["diffusion_bins"]:
        record = f"{RESULTS}/optimization/records/diffusion{bins:g}.nc"
        plan(record, ["em", "quasi_newton"], "middle", [[0]], f"diffusion{bins:g}")
    return climbs


CLIMBS = planned_climbs()


def climbs_from(beginning):
    """Files of climbs whose name begins so."""
    return [
        f"{RESULTS}/optimization/climbs/{stem}.nc"
        for stem in CLIMBS
        if stem.startswith(beginning)
    ]


# Figure 10
ALTERNATIVES = config["alternatives"]
ALTERNATIVE_MODELS = ["full", *ALTERNATIVES["models"], "memoryless"]

# Values held wrong on purpose are nobody's model: see irc.reduced_models.recovered_models.
RECOVERED = [
    "full",
    *(
        name
        for name, choice in ALTERNATIVES["models"].items()
        if choice.get("factor", 1.0) == 1.0
    ),
    "memoryless",
]


def alternatives_config(*keys):
    """What matters to the fits: not the bounds, nor the sizes that a rule is told by itself."""
    chosen = sections("task", "world", "agent", "fitting")
    return chosen | {"alternatives": sorted_by_key({key: ALTERNATIVES[key] for key in keys})}


ALTERNATIVE_KEYS = (
    "models",
    "memoryless_ridge",
    "n_starts",
    "n_reserve_starts",
    "max_evaluations",
)
ALTERNATIVE_PAIRS = [
    f"{RESULTS}/alternatives/pairs/{BATCH.format(first=first, last=last)}"
    for first, last in in_batches(0, ALTERNATIVES["n_pairs"], ALTERNATIVES["batch_size"])
]
ALTERNATIVE_RECOVERY = {
    f"of_{model}": [
        f"{RESULTS}/alternatives/model_recovery/{model}/{BATCH.format(first=first, last=last)}"
        for first, last in in_batches(0, ALTERNATIVES["n_replicates"], ALTERNATIVES["batch_size"])
    ]
    for model in RECOVERED
}


# Figure 11
from dataclasses import asdict

from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.studies.sensitivity.analysis import settings as sensitivity_settings

SENSITIVITY = config["sensitivity"]
SENSITIVITY_TASKS = {
    setting.name: asdict(setting.task)
    for setting in sensitivity_settings(
        task_from_config(config),
        SENSITIVITY["n_bins"],
        SENSITIVITY["diffusion_bins"],
        SENSITIVITY["discounts"],
    )
}
SENSITIVITY_BATCHES = in_batches(0, SENSITIVITY["n_records"], SENSITIVITY["batch_size"])


def sensitivity_fits(design):
    """The fits of one design, all batches of a setting after another."""
    return [
        f"{RESULTS}/sensitivity/fits/{design}/{name}/{BATCH.format(first=first, last=last)}"
        for name in SENSITIVITY_TASKS
        for first, last in SENSITIVITY_BATCHES
    ]
