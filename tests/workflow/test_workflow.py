"""The workflow itself: lint, plans, a whole run, reruns, report, interruptions, a user's mistakes."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml

import inverse_rational_control as irc
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import RECORD, record_dataset, record_from_dataset
from inverse_rational_control.storage import claim
from inverse_rational_control.storage.contract import differences, read, write
from inverse_rational_control.storage.source import source_files
from inverse_rational_control.studies.registry import STUDIES
from inverse_rational_control.task import Task
from tests import ROOT
from tests.example import record_events

from . import torture
from .conftest import (
    TEST_CONFIG,
    TINY_CONFIG,
    copy_project,
    environment,
    snakemake,
)
from .products import CONTRACTS, NUMBERS, TINY, contract_of, datasets

pytestmark = pytest.mark.workflow

RESULTS = Path("results/test")
#: Numbers of the figures that each target makes.
FIGURES_OF = {
    "paper": [f.number for study in STUDIES if study.of_the_paper for f in study.figures],
    "studies": [f.number for study in STUDIES if not study.of_the_paper for f in study.figures],
}
FIGURES_OF["all"] = FIGURES_OF["paper"] + FIGURES_OF["studies"]


_RULES = """
import json, sys
from pathlib import Path
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings

with SnakemakeApi(OutputSettings(quiet=set())) as api:
    made = api.workflow(
        resource_settings=ResourceSettings(cores=1),
        config_settings=ConfigSettings(configfiles=[Path(sys.argv[1])]),
        snakefile=Path("Snakefile"),
    )._workflow
    found = {
        rule.name: [Path(str(rule.script)).name, dict(rule.params.items()).get("module")]
        for rule in made.rules
        if rule.script
    }
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def rules(finished) -> dict[str, list]:
    """Script of every rule, and the module that a generic script is told to import."""
    run = subprocess.run(
        [sys.executable, "-c", _RULES, TEST_CONFIG[1]],
        cwd=finished,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def fed_by(finished) -> dict[str, set[str]]:
    """Whose files each rule reads, by Snakemake's own graph of the rules."""
    run = snakemake(finished, "all", "--forceall", "--rulegraph", *TEST_CONFIG)
    assert run.returncode == 0, run.stdout
    names = dict(re.findall(r'(\d+)\[label = "(\w+)"', run.stdout))
    found: dict[str, set[str]] = {name: set() for name in names.values()}
    for source, reader in re.findall(r"(\d+) -> (\d+)", run.stdout):
        found[names[reader]].add(names[source])
    return found


def with_what_follows(rules: set[str], fed_by: dict[str, set[str]]) -> set[str]:
    """The rules and all that read, directly or not, what they write."""
    while True:
        more = {rule for rule, sources in fed_by.items() if sources & rules} - rules
        if not more:
            return rules
        rules = rules | more


def tiny_run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """All numbers of the tiny configuration, without figures and check."""
    targets = [str(TINY / name) for name in NUMBERS]
    return snakemake(folder, *targets, *arguments, *TINY_CONFIG)


def run_here(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    """What `make` calls, with the tiny configuration."""
    return subprocess.run(
        [sys.executable, "workflow/run_here.py", *arguments],
        cwd=folder,
        env=environment() | {"CONFIG": TINY_CONFIG[1]} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )


def assert_same_numbers(one: Path, other: Path) -> None:
    """Every NetCDF file of two result folders, bit for bit, times and hosts excepted."""
    left, right = datasets(one), datasets(other)
    assert left.keys() == right.keys()
    assert len(left) > 8
    for name, path in left.items():
        contract = contract_of(path)
        assert differences(read(path, contract), read(right[name], contract)) == [], name


def test_lint(project):
    run = snakemake(project, "--lint")
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("name", ["config", "test", "large"])
def test_dry_run(project, name):
    run = snakemake(project, "--dry-run", "--cores", "2", "--configfile", f"config/{name}.yaml")
    assert run.returncode == 0, run.stdout
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE))
    assert jobs["check"] == "1"
    figures = {name for name in jobs if name.startswith("figure")}
    assert figures == {f"figure{number}" for number in FIGURES_OF["paper"]}


@pytest.mark.parametrize(("target", "numbers"), FIGURES_OF.items())
def test_targets_hold_their_figures(project, target, numbers):
    run = snakemake(project, target, "--dry-run", "--cores", "2", *TEST_CONFIG)
    assert run.returncode == 0, run.stdout
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE))
    assert {name for name in jobs if name.startswith("figure")} == {
        f"figure{number}" for number in numbers
    }


def test_slurm_profile_dry_run(project):
    run = snakemake(
        project,
        "--dry-run",
        "--workflow-profile",
        "profiles/slurm",
        "--configfile",
        "config/large.yaml",
    )
    assert run.returncode == 0, run.stdout
    recovery = yaml.safe_load((project / "config/large.yaml").read_text())["recovery"]
    # Two records of a million steps to a job where they are fitted at all lengths.
    assert max(recovery["n_steps"]) == 1_000_000
    n_long = math.ceil(recovery["n_seeds_long"] / 2)
    n_all = n_long + math.ceil(
        (recovery["n_seeds"] - recovery["n_seeds_long"]) / recovery["batch_size"]
    )
    jobs = {
        name: int(number)
        for name, number in re.findall(r"^(\w+) +(\d+)$", run.stdout, re.MULTILINE)
    }
    assert jobs["fit_recovery_steps1000000"] == jobs["fit_recovery_steps20000"] == n_long == 50
    assert jobs["fit_recovery_steps5000"] == jobs["simulate_recovery"] == n_all == 86


def test_memory_is_asked_for_by_the_length_of_the_record(project, tmp_path):
    """The longer the record, the more, in rules that hold it and in those that go through in blocks."""
    text = (project / "workflow/rules/common.smk").read_text()
    defined = {"Path": Path}
    exec(re.search(r"^def n_steps_of.*?(?=^# ---)", text, re.M | re.S)[0], defined)
    asked = {}
    for millions in (0, 10):
        task = Task()
        record = irc.simulate(irc.Agent(), irc.World(), n_steps=20_000, task=task)
        dataset = record_dataset(record, task, irc.Agent().vector, irc.World().vector)
        write(dataset, tmp_path / "record.nc", RECORD)
        # As large as a file of so many steps: records are as compressible all along.
        per_step = (tmp_path / "record.nc").stat().st_size / 20_000
        with open(tmp_path / "record.nc", "ab") as file:
            file.truncate(max(int(1e6 * millions * per_step), 1))
        given = SimpleNamespace(record=str(tmp_path / "record.nc"))
        asked[millions] = [
            defined[name](None, given, 1) for name in ("memory_for_blocks", "memory_for_record")
        ]
        assert defined["memory_for_blocks"](None, given, 2) == 2 * asked[millions][0]
    assert asked[0] == [1000, 2000]
    # 1 GiB is what ten million steps take in blocks; held, they take 0.3 kB each.
    assert 1.5 * 1074 < asked[10][0] < 4000
    assert asked[10][1] > 3000


#: A scheduler of this machine that runs a job at once and answers as SGE does.
QSUB = """#!/bin/bash
echo "$@" >> asked.txt
bash "${@: -1}" > /dev/null 2>&1
echo "exit_status $?" > "$$.ended"
echo $$
"""
QSTAT = "#!/bin/sh\nexit 1\n"
QACCT = '#!/bin/sh\necho "failed 0"\ncat "$2.ended"\n'


def test_a_scheduler_that_takes_commands(project, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(project, folder, copy_function=shutil.copy2)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("qsub", QSUB), ("qstat", QSTAT), ("qacct", QACCT)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    target = str(TINY / "figures/figure1.png")
    profile = ("--workflow-profile", "profiles/generic", "--latency-wait", "5")
    run = subprocess.run(
        [sys.executable, "-m", "snakemake", target, *profile, *TINY_CONFIG],
        cwd=folder,
        env=environment() | {"PATH": f"{programs}{os.pathsep}{environment()['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout[-4000:]
    assert (folder / target).exists()
    asked = (folder / "asked.txt").read_text()
    assert "-N figure1 -l h_vmem=2000M -l h_rt=7200 " in asked


def test_run_makes_every_figure_and_passes_the_check(finished):
    for number in FIGURES_OF["all"]:
        for form, least in (("pdf", 5_000), ("png", 20_000)):
            picture = finished / RESULTS / f"figures/figure{number}.{form}"
            assert picture.stat().st_size > least, picture
    for study in STUDIES:
        with open(finished / RESULTS / f"check/criteria/{study.name}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows
        assert "False" not in {row["passed"] for row in rows}
        assert all(row["why"] for row in rows)
    for which in ("paper", "studies"):
        lines = (finished / RESULTS / f"check/{which}.txt").read_text().splitlines()
        assert len(lines) > 10
        assert all(line.startswith(("ok ", "not judged ")) for line in lines)
        passed = (finished / RESULTS / f"check/{which}_passed.txt").read_text().splitlines()
        n_left_out = sum(line.startswith("not judged ") for line in lines)
        assert passed[0].startswith(f"{len(lines) - n_left_out} criteria passed, {n_left_out} w")
        assert len(passed) == 1 + n_left_out


def test_every_dataset_meets_its_contract_and_says_where_it_comes_from(finished):
    found = datasets(finished / RESULTS)
    kinds = {contract_of(path).kind for path in found.values()}
    made_for_animals_only = {"regressors", "compared_descriptions"}
    assert kinds == set(CONTRACTS) - made_for_animals_only
    for path in found.values():
        dataset = read(path, contract_of(path))
        assert json.loads(dataset.attrs["package_versions"])["numpy"]
        assert json.loads(dataset.attrs["config"])["root_seed"] == int(dataset.attrs["root_seed"])
        assert dataset.attrs["git_revision"]
        assert all(array.attrs.get("long_name") for array in dataset.data_vars.values())
        assert all("units" in array.attrs for array in dataset.data_vars.values())


def test_shorter_records_are_prefixes(finished):
    record = read(finished / RESULTS / "recovery/records/seeds0-1.nc", RECORD)
    assert record.sizes["step"] == 2000
    fit = read(finished / RESULTS / "recovery/fits/steps500/seeds0-1.nc", FIT)
    assert list(fit["seed"].values) == list(record["seed"].values) == [0, 1]


def test_second_run_has_nothing_to_do(finished):
    run = snakemake(finished, "all", "--cores", "2", *TEST_CONFIG)
    assert run.returncode == 0, run.stdout
    assert "Nothing to be done" in run.stdout


@pytest.mark.parametrize(
    "changed",
    [
        "src/inverse_rational_control/foraging/decoding.py",
        "src/inverse_rational_control/foraging/behavior.py",
        "src/inverse_rational_control/inference/fit.py",
        "src/inverse_rational_control/studies/recovery/analysis.py",
        "src/inverse_rational_control/studies/identifiability/analysis.py",
        "src/inverse_rational_control/studies/recovery/figure.py",
        "src/inverse_rational_control/studies/population/criteria.py",
        "src/inverse_rational_control/agent/beliefs.py",
        "workflow/scripts/map_likelihood.py",
    ],
)
def test_changed_source_runs_exactly_the_rules_that_use_it(finished, rules, fed_by, changed):
    path = finished / changed
    before, times = path.read_bytes(), (path.stat().st_atime, path.stat().st_mtime)
    expected = {
        rule
        for rule, (script, module) in rules.items()
        if ROOT / changed
        in source_files(ROOT / "workflow/scripts" / script, [module] if module else [])
    }
    assert expected
    try:
        path.write_bytes(before + b"\n# changed\n")
        run = snakemake(finished, "all", "--dry-run", "--cores", "2", *TEST_CONFIG)
    finally:
        path.write_bytes(before)
        os.utime(path, times)
    assert run.returncode == 0, run.stdout
    # Snakemake names a changed source only where it is the first reason to run.
    listed = re.search(r"params have changed since last execution:\n +(.*)", run.stdout)
    assert set(listed[1].split(", ")) <= expected
    jobs = set(re.findall(r"^(\w+) +\d+$", run.stdout, re.MULTILINE)) - {"total"}
    assert jobs == with_what_follows(expected & fed_by.keys(), fed_by)


def test_changed_configuration_runs_only_what_depends_on_it(finished, tmp_path):
    changed = tmp_path / "changed.yaml"
    changed.write_text("resimulation:\n  n_replicates: 201\n")
    run = snakemake(finished, "--dry-run", "--cores", "2", *TEST_CONFIG, str(changed))
    assert run.returncode == 0, run.stdout
    jobs = set(re.findall(r"^(\w+) +\d+$", run.stdout, re.MULTILINE)) - {"total"}
    last = {"gather_criteria", "check", "tabulate_costs", "paper"}
    assert jobs == {"resimulate_agent", "figure5", "judge_paper", *last}


@pytest.fixture(scope="module")
def report(finished) -> Path:
    run = snakemake(finished, "made", "--report", "report.html", *TEST_CONFIG)
    assert run.returncode == 0, run.stdout
    return finished / "report.html"


def test_report(report):
    text = report.read_text()
    assert all(f"figure{number}.png" in text for number in FIGURES_OF["all"])
    assert "log-likelihood over a plane" in text  # a caption
    assert all(f"costs_of_{which}.csv" in text for which in ("paper", "studies"))


def test_costs_of_every_rule_are_tabulated(finished):
    logs = finished / RESULTS / "logs"
    with open(logs / "costs_of_paper.csv", newline="") as file:
        costs = {row["rule"]: row for row in csv.DictReader(file)}
    assert {"fit_agent", "fit_recovery_steps500", "figure6", "gather_criteria"} <= set(costs)
    assert costs["fit_recovery_steps500"]["jobs"] == "3"
    # An interpreter with NumPy alone holds more than 20 MiB.
    assert 20 < float(costs["all rules"]["peak_memory_mib"]) < 4000
    assert float(costs["all rules"]["seconds"]) > float(costs["fit_agent"]["seconds"]) > 0
    files = {path.relative_to(logs / "costs").as_posix() for path in logs.glob("costs/*/*.tsv")}
    assert "fit_recovery_steps500/fit_recovery_steps500_seeds0-1.tsv" in files


def test_report_holds_what_was_made(finished, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(finished, folder, copy_function=shutil.copy2, symlinks=True)
    for lost in (folder / RESULTS / "figures").glob("figure[1789]*"):
        lost.unlink()
    run = snakemake(folder, "made", "--report", "some.html", *TEST_CONFIG)
    assert run.returncode == 0, run.stdout
    text = (folder / "some.html").read_text()
    assert "figure2.png" in text
    assert "figure1.png" not in text


BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
BROWSE = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-quic"),
    *("--virtual-time-budget=8000", "--enable-logging=stderr"),
)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
def test_report_opens_in_a_browser_and_prints(report, tmp_path):
    page = report.as_uri()
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    shown = subprocess.run(
        [BROWSER, *BROWSE, profile, "--dump-dom", page],
        capture_output=True,
        text=True,
        timeout=120,
    )
    console = [line for line in shown.stderr.splitlines() if ":CONSOLE:" in line]
    # A note of the style sheet's makers is all that may be said.
    assert [line for line in console if "cdn.tailwindcss.com" not in line] == []
    seen = re.sub("<script.*?</script>", "", shown.stdout, flags=re.DOTALL)
    assert all(word in seen for word in ("Inverse Rational Control", "Figures", "Check"))
    printed = tmp_path / "report.pdf"
    subprocess.run(
        [BROWSER, *BROWSE, profile, f"--print-to-pdf={printed}", page],
        capture_output=True,
        timeout=120,
    )
    assert printed.read_bytes().startswith(b"%PDF")
    assert printed.stat().st_size > 20_000


def test_the_last_of_what_a_run_says_is_what_passed(project, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(project, folder, copy_function=shutil.copy2)
    tables = folder / TINY / "check/criteria"
    tables.mkdir(parents=True)
    # As if the results were there and judged.
    for study in ("paper", "recovery"):
        made = (
            f"{study}_{word},3,1,<= 2,{passed},theory" for word, passed in (("a", True), ("b", ""))
        )
        (tables / f"{study}.csv").write_text(
            "\n".join(["name,figure,found,bound,passed,why", *made])
        )
    rules = ("--allowed-rules", "gather_criteria", "check")
    target, logger = str(TINY / "check/paper_passed.txt"), ("--logger", "progress")
    progress = {"PYTHONPATH": str(folder / "workflow/progress")}
    run = run_here(folder, "run", target, "--cores", "1", *rules, *logger, **progress)
    assert run.returncode == 0, run.stdout
    said = f"2 criteria passed, 2 were not judged (see {TINY / 'check/paper.txt'})"
    assert said in [line.strip() for line in run.stdout.splitlines()][-5:]


def test_failed_criterion_stops_the_run_and_keeps_the_table(finished, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(finished, folder, copy_function=shutil.copy2, symlinks=True)
    (folder / "strict.yaml").write_text(
        "check:\n  asymptotic_from: 1\n  belief_information_minimum: 0.99\n"
    )
    run = snakemake(folder, "--cores", "1", *TEST_CONFIG, "strict.yaml")
    assert run.returncode != 0
    assert re.search(r"belief_information: found -?\d.*, allowed >= 0\.99 \(Figure 4", run.stdout)
    assert "Traceback" not in run.stdout
    assert "FAILED      belief_information" in (folder / RESULTS / "check/paper.txt").read_text()
    assert not (folder / RESULTS / "check/paper_passed.txt").exists()


@pytest.fixture(scope="module")
def one_core(tmp_path_factory) -> Path:
    """The tiny numbers, made on one core."""
    folder = copy_project(tmp_path_factory.mktemp("one") / "project")
    run = tiny_run(folder, "--cores", "1")
    assert run.returncode == 0, run.stdout[-4000:]
    return folder


def test_cores_and_interruptions_change_no_number(one_core, tmp_path):
    folder = copy_project(tmp_path / "project")
    targets = [str(TINY / name) for name in NUMBERS]
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *targets, "--cores", "2", *TINY_CONFIG],
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    # Killed hard once a fit is finished and others are under way.
    while not list((folder / TINY).rglob("fits/*/*.nc")) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (folder / TINY / "recovery/summary.nc").exists()
    again = run_here(folder, "run", *targets, "--cores", "2")
    assert again.returncode == 0, again.stdout[-4000:]
    assert "Removing the lock" in again.stdout
    assert not (folder / claim.RECORD).exists()
    assert not list(folder.rglob(".*.part.*"))
    assert_same_numbers(one_core / TINY, folder / TINY)


def test_running_workflow_is_not_unlocked(one_core, tmp_path):
    # A process of that name, in that folder, stands for a run under way.
    locks = one_core / ".snakemake/locks"
    locks.mkdir(parents=True, exist_ok=True)
    (locks / "0.input.lock").write_text("results/tiny/paper/fit.nc\n")
    stand_in = tmp_path / "snakemake"
    stand_in.write_text("import time\ntime.sleep(60)\n")
    running = subprocess.Popen([sys.executable, str(stand_in)], cwd=one_core)
    try:
        time.sleep(0.5)
        run = run_here(one_core, "run", "paper", "--cores", "1")
        assert "still running" in run.stdout
        assert run.returncode != 0
        assert (locks / "0.input.lock").exists()
    finally:
        running.kill()
        running.wait()
        (locks / "0.input.lock").unlink(missing_ok=True)


def test_runs_from_elsewhere_and_as_a_module(project, tmp_path):
    """The clone is where the workflow is; the working folder is where results go."""
    targets = [str(TINY / "paper/record.nc"), str(TINY / "figures/figure1.png")]
    # A folder that a shell would take apart.
    elsewhere = tmp_path / 'it\'s (a) $HOME; & "q"'
    elsewhere.mkdir()
    tiny = ("--configfile", str(project / "tiny.yaml"))
    run = snakemake(elsewhere, "-s", f"{project}/Snakefile", *targets, "--cores", "1", *tiny)
    assert run.returncode == 0, run.stdout[-4000:]
    caller = tmp_path / "caller"
    caller.mkdir()
    (caller / "config.yaml").write_text(
        yaml.safe_dump({"irc": yaml.safe_load((project / "tiny.yaml").read_text())})
    )
    (caller / "Snakefile").write_text(
        f"""configfile: "config.yaml"
module irc:
    snakefile: {str(project / "Snakefile")!r}
    config: config["irc"]
use rule * from irc as irc_*
rule mine:
    default_target: True
    input: {targets[0]!r}
    output: "mine.txt"
    script: "mine.py"
"""
    )
    (caller / "mine.py").write_text("open(snakemake.output[0], 'w').write('mine')")
    run = snakemake(caller, "--cores", "1")
    assert run.returncode == 0, run.stdout[-4000:]
    assert (caller / "mine.txt").exists()
    records = (read(folder / targets[0], RECORD) for folder in (elsewhere, caller))
    assert differences(*records) == []
    assert not (project / "results").exists()


def test_surroundings_change_no_picture(project, tmp_path):
    """A notebook's backend, a user's matplotlib settings, a home that cannot be written to."""
    settings = tmp_path / "matplotlib/matplotlibrc"
    settings.parent.mkdir()
    settings.write_text("text.usetex: True\nfont.family: serif\nnot a setting\n")
    picture = TINY / "figures/figure1.png"
    pictures = []
    for name, surroundings in (
        ("plain", {}),
        (
            "odd",
            {
                "MPLBACKEND": "module://matplotlib_inline.backend_inline",
                "MPLCONFIGDIR": str(settings.parent),
                "HOME": "/dev/null/nobody",
                "LC_ALL": "C",
            },
        ),
    ):
        folder = tmp_path / name
        shutil.copytree(project, folder, copy_function=shutil.copy2)
        run = run_here(folder, "run", str(picture), "--cores", "1", **surroundings)
        assert run.returncode == 0, run.stdout[-4000:]
        pictures.append((folder / picture).read_bytes())
    assert pictures[0] == pictures[1]


@pytest.mark.skipif("TEST_TORTURE" not in os.environ, reason="TEST_TORTURE=1 asks for it")
def test_a_minute_of_torture_changes_no_number(one_core, project, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(project, folder, copy_function=shutil.copy2)
    assert torture.torture(one_core, folder, seconds=60, seed=1) > 0


def verified(folder: Path, config: str) -> subprocess.CompletedProcess:
    """What `make verify` finds."""
    return subprocess.run(
        [sys.executable, "workflow/verify.py"],
        cwd=folder,
        env=environment() | {"CONFIG": config, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
    )


def test_every_product_is_in_the_manifest_and_as_it_was_made(finished):
    found = json.loads((finished / RESULTS / "manifest.json").read_text())
    products = found["products"]
    files = [path for path in (finished / RESULTS).rglob("*") if path.is_file()]
    made = {path.relative_to(finished / RESULTS).as_posix() for path in files}
    assert {name for name in made if not name.startswith("logs/")} - {"manifest.json"} == set(
        products
    )
    assert products["paper/fit.nc"]["rule"] == "fit_agent"
    assert all(len(entry["source"]) == 16 for entry in products.values())
    (run,) = found["runs"].values()
    assert run["configuration"]["results_directory"] == str(RESULTS)
    told = verified(finished, "config/test.yaml")
    assert (told.returncode, told.stderr) == (0, "")
    assert "every file is as it was made" in told.stdout


def test_the_manifest_stays_true_after_partial_runs_and_failures(one_core, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(one_core, folder, copy_function=shutil.copy2, symlinks=True)
    assert verified(folder, "tiny.yaml").returncode == 0
    manifest = folder / TINY / "manifest.json"
    before = json.loads(manifest.read_text())["products"]
    # One figure more; what was made before is listed as before.
    run = snakemake(folder, str(TINY / "figures/figure1.png"), *TINY_CONFIG, "--cores", "1")
    assert run.returncode == 0, run.stdout
    after = json.loads(manifest.read_text())["products"]
    assert before.items() <= after.items()
    added = {"figures/figure1.pdf", "figures/figure1.png"}
    assert set(after) - set(before) == added
    # Damaged behind the workflow's back: told by verify, and by the rule that reads it, whose failure
    # changes nothing.
    fit = folder / TINY / "paper/fit.nc"
    content = bytearray(fit.read_bytes())
    content[content.index(b"confidence_level") + 3] ^= 1
    fit.write_bytes(content)
    run = tiny_run(folder, "--cores", "1")
    assert run.returncode != 0
    errors = [line for line in run.stdout.splitlines() if line.startswith("Error: ")]
    assert errors
    assert all("paper/fit.nc: " in line for line in errors)
    assert "Traceback" not in run.stdout
    assert json.loads(manifest.read_text())["products"]["paper/fit.nc"] == after["paper/fit.nc"]
    told = verified(folder, "tiny.yaml")
    assert told.returncode == 1
    assert "paper/fit.nc: changed since rule fit_agent made it" in told.stderr


def test_a_full_disk_is_told_in_one_line_and_the_run_goes_on_after_it(one_core, tmp_path):
    """Figures and NetCDF files alike: nothing is left, and a second run makes what is missing."""
    folder = copy_project(tmp_path / "project")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=150k", "tmpfs", disk]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no right to mount a small disk")
    try:
        (folder / "results").mkdir()
        (folder / TINY).symlink_to(disk)
        targets = [str(TINY / name) for name in ("figures/figure1.png", "paper/record.nc")]
        targets.append(str(TINY / "recovery/records/seeds0-1.nc"))
        run = snakemake(folder, *targets, *TINY_CONFIG, "--cores", "1", "--keep-going")
        assert run.returncode != 0
        errors = [line for line in run.stdout.splitlines() if line.startswith("Error: ")]
        assert errors
        assert all("no space left on the disk of" in line for line in errors)
        assert "Traceback" not in run.stdout
        assert len(run.stdout.splitlines()) < 150
        assert not list(disk.rglob(".*.part*"))
        subprocess.run(["mount", "-o", "remount,size=10m", disk], check=True)
        run = snakemake(folder, *targets, *TINY_CONFIG, "--cores", "1")
        assert run.returncode == 0, run.stdout[-4000:]
        for name in ("paper/record.nc", "recovery/records/seeds0-1.nc"):
            one, other = read(folder / TINY / name, RECORD), read(one_core / TINY / name, RECORD)
            assert differences(one, other) == []
    finally:
        subprocess.run(["umount", disk], check=True)


def test_truncated_file_is_named_in_one_line(one_core, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(one_core, folder, copy_function=shutil.copy2, symlinks=True)
    record = folder / TINY / "paper/record.nc"
    record.write_bytes(record.read_bytes()[:2000])
    run = tiny_run(folder, "--cores", "1")
    assert run.returncode != 0
    errors = [line for line in run.stdout.splitlines() if line.startswith("Error: ")]
    assert errors
    assert all("paper/record.nc: not a readable NetCDF file" in line for line in errors)
    assert "Traceback" not in run.stdout


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("task={n_binss: 5}", r"task\.n_binss.*n_bins"),
        ("recovery={n_steps: []}", r"recovery\.n_steps"),
        ("task={discount: 1.5}", r"task\.discount.*1\.5"),
    ],
)
def test_bad_configuration_stops_before_any_job(project, given, expected):
    run = snakemake(project, "--cores", "1", "--config", given)
    assert run.returncode != 0
    lines = [line for line in run.stdout.splitlines() if line.startswith("configuration: ")]
    assert len(lines) == 1
    assert re.search(expected, lines[0]), lines[0]
    assert "Traceback" not in run.stdout
    assert not (project / "results").exists()


def test_own_animal(one_core, tmp_path):
    """A lab's own CSV: imported, fitted and decoded beside the paper's agent."""
    folder = tmp_path / "project"
    shutil.copytree(one_core, folder, copy_function=shutil.copy2, symlinks=True)
    record = read(folder / TINY / "paper/record.nc", RECORD)
    table = pd.DataFrame(record_from_dataset(record).columns())
    table = table[["session", "location", "action", "reward", "cue_1", "cue_2"]]
    table.to_csv(folder / "monkey.csv", index=False)
    targets = [str(TINY / f"figures/m1_figure{number}.png") for number in (2, 3, 4, 5)]
    targets.append(str(TINY / "m1/parameters.csv"))
    options = ("--config", "animals={m1: monkey.csv}", *TINY_CONFIG, "--cores", "2")
    run = snakemake(folder, *targets, *options)
    assert run.returncode == 0, run.stdout[-4000:]
    assert "truth" not in read(folder / TINY / "m1/fit.nc", FIT)
    reported = pd.read_csv(folder / TINY / "m1/parameters.csv")
    assert len(reported) == 10
    assert reported["posterior_status"].isin(["converged", "rough", "not_converged"]).all()
    assert (reported["posterior_lower"] < reported["posterior_median"]).all()
    beliefs = read(folder / TINY / "m1/posterior.nc", CONTRACTS["posterior"])
    behavior = read(folder / TINY / "m1/behavior.nc", CONTRACTS["behavior"])
    assert beliefs.attrs["parameters_from"] == behavior.attrs["parameters_from"]
    assert np.isfinite(behavior["predictive_p"]).sum() > 10

    # Without a posterior everything is made with the estimate, and says so.
    (folder / "off.yaml").write_text("animals: {m1: monkey.csv}\nposterior: {animals: false}\n")
    targets_off = [str(TINY / "m1" / name) for name in ("posterior.nc", "parameters.csv")]
    run = snakemake(folder, *targets_off, *TINY_CONFIG, "off.yaml", "--cores", "2")
    assert run.returncode == 0, run.stdout[-4000:]
    alone = read(folder / TINY / "m1/posterior.nc", CONTRACTS["posterior"])
    assert alone.attrs["parameters_from"] == "the estimate alone"
    assert set(pd.read_csv(folder / TINY / "m1/parameters.csv")["posterior_status"]) == {
        "not drawn"
    }

    table.loc[7, "action"] = 9
    table.to_csv(folder / "monkey.csv", index=False)
    run = snakemake(folder, *targets, *options)
    assert run.returncode != 0
    assert (
        "Error: monkey.csv: action at row 9: found 9, allowed: whole numbers 0 to 4" in run.stdout
    )
    assert "Traceback" not in run.stdout


def _give_food(path, subject):
    """Write a reward into a subject's first session where no push was for more than three seconds."""
    events = pd.read_csv(path)
    mine = events[events["subject"].eq(subject) & events["session"].eq("day 1")]
    pushes = mine.loc[mine["event"] == "push", "time"].to_numpy()
    when = next(
        time
        for time in np.arange(5.0, 55.0, 0.25)
        if not ((pushes > time - 3.5) & (pushes <= time)).any()
    )
    row = {"subject": subject, "session": "day 1", "time": when, "event": "reward"}
    at = mine.index[mine["time"] <= when][-1] + 1
    parts = [events[:at], pd.DataFrame([row]), events[at:]]
    pd.concat(parts, ignore_index=True).to_csv(path, index=False)


def test_the_worked_example_from_events_to_figures(one_core, tmp_path):
    """Two subjects, three sessions each, small; parameters held, tied and bounded, another model."""
    folder = tmp_path / "project"
    shutil.copytree(one_core, folder, copy_function=shutil.copy2, symlinks=True)
    (folder / "examples").mkdir()
    record_events.main(str(folder / "examples"), 60)
    _give_food(folder / "examples/events.csv", "Ada")
    shutil.copy2(ROOT / "examples/foraging.yaml", folder / "example.yaml")
    (folder / "less.yaml").write_text(
        "animals: {example: {events: {reward_without_push: leave_out}, "
        "held: {push_cost: 0.3, lapse: 0.02}, prior: {travel_cost: [0.1, 0.5]}, "
        "tied: [[appearance_rate_1, appearance_rate_2]], bounded: {grooming_reward: [0.1, 0.25]}, "
        "alternatives: {known_cues: {from_world: [cue_probability_present, cue_probability_absent], "
        "prior: {travel_cost: [0.15, 0.4]}}}}}\nposterior: {n_tune: 50, n_draws: 50}\n"
    )
    options = (*TINY_CONFIG, "example.yaml", "less.yaml", "--cores", "2")
    results = folder / "results/example"
    targets = ["figures/example_Ada_figure4.png", "example_Bo_2/parameters.csv"]
    targets += ["example_Ada/summary.txt", "example_Ada/beliefs.csv", "animals.csv", "animals.html"]
    run = snakemake(folder, *(f"results/example/{target}" for target in targets), *options)
    assert run.returncode == 0, run.stdout[-4000:]
    record = read(results / "example_Ada/record.nc", RECORD)
    assert json.loads(record.attrs["sessions"])[0] == "Ada day 1"
    steps = pd.read_csv(results / "example_Ada/steps.csv")
    assert len(steps) == record.sizes["step"]
    np.testing.assert_array_equal(record["row"], np.arange(len(steps)) + 2)
    np.testing.assert_allclose(record["time"], steps["time"])
    summary = " ".join((results / "example_Ada/summary.txt").read_text().split())
    assert summary.startswith(("example_Ada: agents with the inf", "example_Ada: the model misses"))
    assert "described best by" in summary and "memoryless baseline" in summary
    assert "- 1 of " in summary and "rewards had no push that can have brought them" in summary
    compared = read(results / "example_Ada/descriptions.nc", CONTRACTS["compared_descriptions"])
    names = compared["description"].values.tolist()
    assert "known_cues" in names and "lapse" not in names, "held, so that nothing is free in it"
    n_free = dict(zip(names, compared["n_parameters"].values, strict=True))
    assert n_free["known_cues"] == n_free["paper"] - 2
    beliefs = pd.read_csv(results / "example_Ada/beliefs.csv")
    np.testing.assert_array_equal(beliefs["row"], record["row"])
    assert beliefs["belief_mean_1"].between(0, 1).all()
    assert set(pd.read_csv(results / "animals.csv")["animal"]) == {"example_Ada", "example_Bo_2"}
    decided = pd.read_csv(results / "example_Ada/decisions.csv").set_index("kind")["count"]
    assert decided["sessions"] >= 3 and decided["reward_without_push"] == 1
    behavior = read(results / "example_Ada/behavior.nc", CONTRACTS["behavior"])
    assert behavior.attrs["step_width"] == 1.0
    table = pd.read_csv(results / "example_Bo_2/parameters.csv").set_index("parameter")
    assert table.loc["push_cost", "estimate"] == table.loc["push_cost", "posterior_median"] == 0.3
    assert table.loc["lapse", "estimate"] == pytest.approx(0.02)
    kept = table.loc["grooming_reward"]
    assert 0.1 <= kept["posterior_lower"] < kept["posterior_upper"] <= 0.25
    # Each of a step of the events' width.
    assert table["step_width"].eq(1.0).all() and "estimate_in_seconds" in table
    tied = table.loc[["appearance_rate_1", "appearance_rate_2"], ["estimate", "posterior_median"]]
    np.testing.assert_array_equal(*tied.values)
