# What all studies share: the validated configuration, paths, source digests, figures, batches.

import atexit
import os
import re
import signal
from contextlib import suppress

# The library is used from the clone itself; jobs inherit this, on a cluster as well.
sys.path.insert(0, str(ROOT / "src"))
os.environ.update(
    PYTHONPATH=os.pathsep.join(
        filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")])
    )
)
# Everything runs on one thread: numbers do not depend on cores, and jobs do not crowd each other.
# Figures are drawn without a screen, and as matplotlib is by itself: not with a notebook's backend, not
# with the user's settings.
os.environ.update(
    {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")},
    MPLBACKEND="Agg",
    MATPLOTLIBRC=os.devnull,
)
# Some shared disks have no locks; files are complete before they have their names.
os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")

from inverse_rational_control import interruption
from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.loading import ConfigError, load_config, merged
from inverse_rational_control.config.recovery import long_batch_size
from inverse_rational_control.config.places import is_writable, judge_results_folder
from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.animals import expanded, files_of
from inverse_rational_control.storage import claim
from inverse_rational_control.storage.source import source_digest
from inverse_rational_control.studies import registry

# Another workflow has commands of its own, and these would be around them too.
if not workflow.modifier.skip_configfile:
    shell.prefix(interruption.SHELL_PREFIX.replace("{", "{{").replace("}", "}}"))
    shell.suffix(interruption.SHELL_SUFFIX)

try:
    _from_command_line = workflow.config_settings.config
    if workflow.modifier.skip_configfile:
        # Another workflow gives what differs from the paper's; the command line is its own.
        config = merged(load_config(ROOT / "config/config.yaml"), config)
        _from_command_line = {}
    _checked, _warnings = validate_config(config, _from_command_line)
    judge_results_folder(_checked["results_directory"], ROOT)
except ConfigError as error:
    sys.exit(f"configuration: {error}")
if workflow.is_main_process:
    atexit.register(claim.release, Path.cwd())
    _in_use = claim.refusal(Path.cwd())
    if _in_use:
        print(_in_use, file=sys.stderr)
    for line in _warnings:
        print(f"configuration, warning: {line}", file=sys.stderr)
config = _checked

RESULTS = config["results_directory"]
for name, entry in config["animals"].items():
    for path in files_of(entry):
        if not Path(path).is_file():
            sys.exit(
                f"configuration: animals.{name}: found {path!r}, which is no file; "
                "allowed: the path of a CSV or NetCDF record"
            )
try:
    # What is fitted, by name: several subjects or sessions of one entry are one each.
    ANIMALS = expanded(config["animals"])
except RecordError as error:
    sys.exit(f"configuration: {error}")


wildcard_constraints:
    dataset="|".join(["paper", *ANIMALS]),
    animal="|".join(ANIMALS) or "no_animals",
    first=r"\d+",
    last=r"\d+",


# --- configuration and source: what a rule depends on -------------------------------------------


def sections(*names):
    """The parts of the configuration that matter to one step; a change elsewhere leaves it be."""
    return sorted_by_key({name: config[name] for name in ("root_seed", *names)})


def keys_of(section, *keys):
    """Some keys of a section, where its other keys do not matter to a step."""
    return {section: sorted_by_key({key: config[section][key] for key in keys})}


def keys_of_animal(name, *keys):
    """Some keys of an animal's entry, as far as they are given; none of the paper's agent."""
    entry = ANIMALS.get(name, {})
    return sorted_by_key({key: entry[key] for key in keys if key in entry})


def sorted_by_key(value):
    """The same with the keys of all mappings in order: how a file is laid out changes nothing."""
    if isinstance(value, dict):
        return {key: sorted_by_key(value[key]) for key in sorted(value)}
    return value


def source(script, *modules):
    """Digest of a script and all of the library that it uses; a change there runs it again."""
    return source_digest(ROOT / "workflow/scripts" / f"{script}.py", modules)


def fits(n_steps, n_starts, n_records=None, relative_cost=1.0, of_record=False):
    """Resources of a job that fits records: how many, about how many seconds, minutes to ask for.

    Without a number of records they are those of the batch. A start takes about 0.15 s per 1000 steps
    with ten bins; a slow core may take some times that, and gets that time: where the input is one
    record, as long as that is.
    """

    def number(wildcards):
        return len(numbers_of_batch(wildcards)) if n_records is None else n_records

    def seconds(wildcards):
        cost = relative_cost(wildcards) if callable(relative_cost) else relative_cost
        return 3 + round(0.15e-3 * n_steps * n_starts * cost * number(wildcards))

    def runtime(wildcards, input, attempt):
        longer = n_steps_of(input.record) / n_steps if of_record else 1.0
        return attempt * max(30, round(seconds(wildcards) * max(1.0, longer) / 9))

    return {"fits": number, "seconds": seconds, "runtime": runtime}


def n_steps_of(path):
    """About how many steps a record has: its file takes 2 to 3 bytes for each, compressed.

    By its size, since the length of an animal's record is not known before.
    """
    return Path(path).stat().st_size / 2


def memory_for_blocks(wildcards, input, attempt):
    """MB to ask for where a record is gone through in blocks: 1 GB for ten million steps."""
    return attempt * (1000 + round(100e-6 * n_steps_of(input.record)))


def memory_for_record(wildcards, input, attempt):
    """MB to ask for where a record is held, and copies of it: 0.4 GB for a million steps."""
    return attempt * (2000 + round(400e-6 * n_steps_of(input.record)))


# --- batches --------------------------------------------------------------------------------------

# Jobs of a second would be mostly start-up, so several records share one: a batch.
BATCH = "seeds{first}-{last}.nc"


def in_batches(begin, end, size):
    """First and last of each batch of `size` numbers from `begin` to before `end`."""
    return [(first, min(first + size, end) - 1) for first in range(begin, end, size)]


def batch_files(folder, batches, name=BATCH):
    """The files of batches in one folder of the results."""
    return [
        f"{RESULTS}/{folder}/{name.format(first=first, last=last)}"
        for first, last in batches
    ]


def file_of_agent(folder, batches, name):
    """The file of the batch in which the wildcard `agent` is."""

    def path(wildcards):
        agent = int(wildcards.agent)
        batch = next(each for each in batches if each[0] <= agent <= each[1])
        return batch_files(folder, [batch], name)[0]

    return path


def numbers_of_batch(wildcards):
    """The numbers of a batch's records, one by one."""
    return list(range(int(wildcards.first), int(wildcards.last) + 1))


# --- figures and criteria ---------------------------------------------------------------------------

STUDIES = [study.name for study in registry.studies_made(config)]
PAPER = [study.name for study in registry.studies_made(config) if study.of_the_paper]


def figure_files(studies):
    """Pictures of all figures of some studies."""
    return [
        f"{RESULTS}/figures/figure{figure.number}.{form}"
        for study in registry.STUDIES
        if study.name in studies
        for figure in study.figures
        for form in ("pdf", "png")
    ]


def drawn(number, animal=False, numbers=True):
    """Outputs of a figure: both pictures, and the numbers shown."""
    stem = f"{RESULTS}/figures/{'{animal}_' if animal else ''}figure{number}"
    marked = dict(
        caption=f"../report/figure{number}.rst",
        category="Animals" if animal else "Figures",
        labels={"figure": f"{number}. {registry.FIGURES[number].title}"}
        | ({"animal": "{animal}"} if animal else {}),
    )
    outputs = {"pdf": f"{stem}.pdf", "png": report(f"{stem}.png", **marked)}
    return outputs | ({"numbers": f"{stem}_numbers.csv"} if numbers else {})


def module_of_figure(number):
    """The module that draws a figure, and the digest of all that it uses."""
    name = f"inverse_rational_control.studies.{registry.FIGURES[number].module}"
    return {"module": name, "source": source("draw_figure", name)}


def module_of_criteria(study):
    """The module of a study's criteria, and the digest of all that it uses."""
    name = f"inverse_rational_control.studies.{study}.criteria"
    return {"module": name, "source": source("judge_study", name)}


def last_files(which):
    """What is made last of a target: its table of costs waits for that, to tell of all jobs."""
    if which == "animals":
        return ANIMAL_FIGURES + ANIMAL_TABLES
    figures = figure_files(CHECKED[which])
    animals = ANIMAL_FIGURES + ANIMAL_TABLES if which == "paper" else []
    return figures + animals + [f"{RESULTS}/check/{which}.txt"]


# --- progress ---------------------------------------------------------------------------------------


def seconds_before(benchmark):
    """What a job took when it was last made, by its benchmark file; None if it never was."""
    try:
        last = Path(benchmark).read_text().splitlines()[-1]
        return float(last.split("\t", 1)[0]) or None
    except (OSError, TypeError, ValueError, IndexError):
        return None


onstart:
    # From here on Snakemake takes an interrupt itself, and ends its jobs.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not is_writable(RESULTS):
        sys.exit(
            f"configuration: results_directory: found {RESULTS!r}, which cannot be written to; "
            "allowed: a folder of its own"
        )
    # For the next run, which must know whose lock it finds; `make` has done it already.
    with suppress(claim.InUse):
        claim.claim(Path.cwd())
    # For the lines of progress (workflow/progress), which count fits and not only jobs.
    planned_jobs = {
        workflow.dag.jobid(job): {
            "rule": job.rule.name,
            "fits": int(job.resources.get("fits", 0)),
            "seconds": seconds_before(job.benchmark)
            or float(job.resources.get("seconds", 3)),
            "picture": next(
                (path for path in job.output if path.endswith(".png")), None
            ),
        }
        for job in workflow.dag.needrun_jobs()
    }
    logger.info(
        f"{len(planned_jobs)} jobs, {sum(job['fits'] for job in planned_jobs.values())} fits",
        extra={"planned_jobs": planned_jobs},
    )
