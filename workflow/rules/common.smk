# What all stages share: the validated configuration, paths, sources, threads.

import os
import re

ROOT = Path(workflow.basedir)
# The library is used from the clone itself; jobs inherit this, on a cluster as well.
sys.path.insert(0, str(ROOT / "src"))
os.environ.update(
    PYTHONPATH=os.pathsep.join(
        filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")])
    )
)
# Everything runs on one thread: numbers do not depend on cores, and jobs do not crowd each other.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
os.environ.setdefault("MPLBACKEND", "Agg")

from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.loading import ConfigError, load_config
from inverse_rational_control.storage.provenance import source_digest

try:
    # Snakemake has merged the files already; read again, a key given twice is found.
    load_config(*workflow.configfiles)
    _checked, _warnings = validate_config(config)
except ConfigError as error:
    sys.exit(f"configuration: {error}")
if workflow.is_main_process:
    for line in _warnings:
        print(f"configuration, warning: {line}", file=sys.stderr)
config.clear()
config.update(_checked)

RESULTS = config["results_directory"]
ANIMALS = config["animals"]
if Path(RESULTS).exists() and not Path(RESULTS).is_dir():
    sys.exit(
        f"configuration: results_directory: found {RESULTS!r}, which is a file; allowed: a folder"
    )
for name, path in ANIMALS.items():
    if not Path(path).is_file():
        sys.exit(
            f"configuration: animals.{name}: found {path!r}, which is no file; "
            "allowed: the path of a CSV or NetCDF record"
        )


wildcard_constraints:
    dataset="|".join(["paper", *ANIMALS]),
    animal="|".join(ANIMALS) or "no_animals",
    first=r"\d+",
    last=r"\d+",


def sections(*names):
    """The parts of the configuration that matter to one step; a change elsewhere leaves it be."""
    return sorted_by_key({name: config[name] for name in ("root_seed", *names)})


def sorted_by_key(value):
    """The same with the keys of all mappings in order: how a file is laid out changes nothing."""
    if isinstance(value, dict):
        return {key: sorted_by_key(value[key]) for key in sorted(value)}
    return value


def source(name):
    """Digest of a script and all of the library that it uses; a change there runs it again."""
    return source_digest(ROOT / "workflow/scripts" / f"{name}.py")


def minutes_of_fits(n_steps, n_records, n_starts):
    """Run time to ask for: a start takes about 0.15 s per 1000 steps, a slow core some times that."""
    return max(30, round(n_steps / 1000 * n_records * n_starts / 60))


RECOVERY = config["recovery"]
LENGTHS = RECOVERY["n_steps"]


def in_batches(begin, end, size):
    """First and last of each batch of `size` numbers from `begin` to before `end`."""
    return [(first, min(first + size, end) - 1) for first in range(begin, end, size)]


# The seeds that are fitted at all lengths come in batches of their own.
LONG_BATCHES = in_batches(0, RECOVERY["n_seeds_long"], RECOVERY["batch_size"])
BATCHES = LONG_BATCHES + in_batches(
    RECOVERY["n_seeds_long"], RECOVERY["n_seeds"], RECOVERY["batch_size"]
)
BATCH = "seeds{first}-{last}.nc"


def batch_seeds(wildcards):
    """The seeds of a batch, as numbers."""
    return list(range(int(wildcards.first), int(wildcards.last) + 1))


def batches_at(n_steps):
    """First and last seeds of the batches that are fitted at one data length."""
    if n_steps < RECOVERY["long_from"]:
        return BATCHES
    return LONG_BATCHES


def recovery_fits(n_steps):
    """The batch files of one data length."""
    return [
        f"{RESULTS}/recovery/fits/steps{n_steps}/{BATCH.format(first=first, last=last)}"
        for first, last in batches_at(n_steps)
    ]


FIGURE_TITLES = {
    1: "Graphical models",
    2: "Task data",
    3: "Parameters",
    4: "Beliefs",
    5: "Behavior",
    6: "Recovery",
    7: "Many agents",
    8: "Optimization",
    9: "Identifiability",
    10: "Alternatives",
    11: "Sensitivity",
}
# Experiments beyond the paper's, each with one summary and one figure.
EXPERIMENTS = {
    name: number
    for name, number in {
        "population": 7,
        "optimization": 8,
        "identifiability": 9,
        "alternatives": 10,
        "sensitivity": 11,
    }.items()
    if config[name]["enabled"]
}


def drawn(stem, number, numbers=True):
    """Outputs of a figure: both pictures, and the numbers shown."""
    marked = dict(
        caption=f"../report/figure{number}.rst",
        category="Figures" if stem.startswith("figure") else "Animals",
        labels={"figure": f"{number}. {FIGURE_TITLES[number]}"}
        | ({} if stem.startswith("figure") else {"animal": "{animal}"}),
    )
    outputs = {
        "pdf": f"{RESULTS}/figures/{stem}.pdf",
        "png": report(f"{RESULTS}/figures/{stem}.png", **marked),
    }
    if numbers:
        outputs["numbers"] = f"{RESULTS}/figures/{stem}_numbers.csv"
    return outputs
