"""The benchmark harness runs and writes what it promises; how fast anything is, is not tested."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from benchmarks import cases, long_records, studies
from benchmarks.measure import Measurement, Target, exponent, run_measured, side_by_side
from benchmarks.peers import load_case
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.chain import plain
from inverse_rational_control.chain.forward_backward import chain_log_likelihood
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from tests import ROOT


def test_quick_run_writes_table_figure_and_machine(tmp_path):
    # Long records, in processes of their own, have a test below.
    studies = ("e_step", "planner", "fits", "steps", "bins", "records", "jobs", "startup")
    command = [sys.executable, "-m", "benchmarks", "--quick", "--output", str(tmp_path)]
    command += ["--only", *studies]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {
        *("benchmarks.csv", "benchmarks.md", "benchmarks_numbers.csv", "machine.json"),
        *("benchmarks.pdf", "benchmarks.png"),
    }
    table = pd.read_csv(tmp_path / "benchmarks.csv", keep_default_na=False)
    columns = ["quantity", "measured", "unit", "target", "met", "share_of_target", "note"]
    assert list(table.columns) == columns
    assert table["quantity"].is_unique
    assert np.isfinite(table["measured"].astype(float)).all()
    assert set(table["met"]) <= {"yes", "no", ""}
    assert ((table["target"] == "") == (table["met"] == "")).all()
    text = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert sum(line.startswith("| ") for line in text.splitlines()) == len(table) + 1
    machine = json.loads((tmp_path / "machine.json").read_text(encoding="utf-8"))
    assert machine["processor"]
    assert machine["versions"]["numpy"]
    points = pd.read_csv(tmp_path / "benchmarks_numbers.csv")
    assert set(points["panel"]) == {"A", "B", "C", "D", "E"}
    assert (points["seconds"] > 0).all()


def test_long_record_is_written_by_a_process_and_read_by_steps(tmp_path, monkeypatch):
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    monkeypatch.setenv("PYTHONPATH", paths)
    account = run_measured("long_records", "write_record", tmp_path, 300, 4)
    assert account["peak_bytes"] > 1 << 20
    whole, part = (long_records.smooth(tmp_path, n_steps, 4) for n_steps in (300, 100))
    task = cases.task(4)
    tables = chain_tables(agent_model(cases.agent_theta(), task))
    for found, n_steps in ((whole, 300), (part, 100)):
        inputs = chain_inputs(cases.record(300, 4).head(n_steps))
        assert found["log_likelihood"] == pytest.approx(chain_log_likelihood(tables, inputs))
    assert long_records.fit(tmp_path, 300, 4)["n_evaluations"] > 0


@pytest.mark.parametrize(
    ("target", "measured", "share", "met"),
    [
        (Target("at most", 2.0), 1.0, 0.5, "yes"),
        (Target("at most", 2.0), 3.0, 1.5, "no"),
        (Target("at most", 0.0), 0.0, 0.0, "yes"),
        (Target("at most", 0.0), 1.0, np.inf, "no"),
        (Target("at least", 50.0), 100.0, 0.5, "yes"),
        (Target("at least", 50.0), 25.0, 2.0, "no"),
        (Target("within", 1.0, 0.25), 0.875, 0.5, "yes"),
        (Target("within", 1.0, 0.25), 1.5, 2.0, "no"),
        (None, 1.0, None, ""),
        (Target("at most", 2.0), np.nan, np.nan, ""),
    ],
)
def test_judgment_of_a_measured_value(target, measured, share, met):
    row = Measurement("quantity", measured, "s", target)
    assert row.met == met
    assert row.share == share or np.isnan(row.share)


class _DensePeer:
    """Stands for another program: whole matrices, in this process."""

    def __init__(self, name, case, results, *options):
        self.tables, self.inputs = load_case(case)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self):
        return 0.5

    def computed(self):
        filtered = plain.forward(self.tables, self.inputs)
        posterior, counts = plain.backward(self.tables, self.inputs, *filtered)
        return counts.log_likelihood, posterior


def test_other_programs_are_given_the_same_chain_and_compared(monkeypatch, tmp_path):
    monkeypatch.setattr(studies, "Peer", _DensePeer)
    found = studies.Findings()
    studies.peers(studies.QUICK, found, tmp_path)
    assert {row.met for row in found.rows if row.target is not None} == {"yes"}
    assert {point["series"] for point in found.points} == {"dynamax", "hmmlearn"}
    apart = [row.measured for row in found.rows if "difference" in row.unit]
    assert len(apart) == 6 and max(apart) < 1e-12


def test_power_law_is_found():
    sizes = np.array([10, 20, 50])
    assert exponent(sizes, 3.0 * sizes**2.3) == pytest.approx(2.3)


def test_each_time_is_compared_with_those_around_it():
    slower = iter([1.0, 3.0, 5.0])
    one, other = side_by_side(lambda: next(slower), lambda: 8.0, 2)
    np.testing.assert_array_equal(one, [2.0, 4.0])
    np.testing.assert_array_equal(other, [8.0, 8.0])


def test_peak_memory_is_that_of_the_process_alone():
    ballast = np.ones(1 << 25)  # 256 MiB in this process, which the one that is measured lacks
    launcher = [sys.executable, "-S", str(ROOT / "benchmarks" / "peak_memory.py")]

    def peak(code):
        command = [*launcher, sys.executable, "-S", "-c", code]
        account = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return json.loads(account)["peak_bytes"]

    assert peak("pass") < ballast.nbytes
    assert peak("b'x' * (1 << 27)") > 1 << 27


def test_chain_of_a_general_hmm_is_the_same_chain():
    model = agent_model(cases.agent_theta(), cases.task(3))
    chains = [
        (chain_tables(model), chain_inputs(cases.record(60, 3))),
        cases.plain_chain(model, 60),
    ]
    for tables, inputs in chains:
        transitions = cases.dense_transitions(tables, inputs)
        np.testing.assert_allclose(transitions.sum(2), 1.0, rtol=1e-12)
        emissions = np.exp(tables.log_emissions.reshape(-1, 9))
        state = emissions[inputs.emitted[0]] / 9
        for transition, emitted in zip(transitions, inputs.emitted[1:], strict=True):
            state = (state @ transition) * emissions[emitted]
        expected = chain_log_likelihood(tables, inputs)
        assert np.log(state.sum()) == pytest.approx(expected, rel=1e-10)
