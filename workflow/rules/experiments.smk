# What the experiments beyond the paper's share with no one else: their files and batches.


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
