# What all stages share: the validated configuration, paths, sources, threads.

import os

ROOT = Path(workflow.basedir)
# The library is used from the clone itself; jobs inherit this, on a cluster as well.
sys.path.insert(0, str(ROOT / "src"))
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")])
)
# Every rule runs on one thread: numbers do not depend on cores, and jobs do not crowd each other.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
os.environ.setdefault("MPLBACKEND", "Agg")

from irc.config import ConfigError, validate_config
from irc.provenance import source_digest

try:
    _checked, _warnings = validate_config(config, ROOT / "workflow/schemas/config.schema.json")
except ConfigError as error:
    sys.exit(f"configuration: {error}")
if workflow.is_main_process:
    for line in _warnings:
        print(f"configuration, warning: {line}", file=sys.stderr)
config.clear()
config.update(_checked)

RESULTS = config["results_directory"]
ANIMALS = config["animals"]


wildcard_constraints:
    dataset="|".join(["paper", *ANIMALS]),
    animal="|".join(ANIMALS) or "no_animals",
    first=r"\d+",
    last=r"\d+",
    n_steps=r"\d+",


def sections(*names):
    """The parts of the configuration that a rule uses: a change elsewhere does not run it again."""
    return {name: config[name] for name in ("root_seed", *names)}


def script(name):
    """Path of a rule's script, from the folder of the rule files."""
    return f"../scripts/{name}.py"


def source(name):
    """Digest of a script and all of the library that it uses: a change there runs the rule again."""
    return source_digest(ROOT / "workflow/scripts" / f"{name}.py")


def minutes_of_fits(n_steps, n_records, n_starts):
    """Generous run time of a fitting job: a start takes about a second per 1000 steps."""
    return max(10, round(n_steps / 1000 * n_records * n_starts / 60 * 3))
