"""The front door: the examples of its docstrings and of the README run, from any folder."""

import dataclasses
import doctest
import functools
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import inverse_rational_control as irc
from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.foraging.behavior import behavior_counts
from inverse_rational_control.front_door import actors, comparing, going_on, inferring, records
from inverse_rational_control.inference.posterior import PosteriorStatus
from inverse_rational_control.inference.verdict import FitStatus
from tests import ROOT
from tests.example import record_events, tutorial


@pytest.mark.parametrize("module", [actors, comparing, going_on, inferring, records])
def test_examples_of_the_docstrings(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {name: getattr(irc, name) for name in irc.__all__}
    found = doctest.testmod(module, extraglobs=names)
    assert found.attempted > 1
    assert found.failed == 0


def test_extra_parameters_go_through_from_simulation_to_resimulation():
    task, world = irc.Task(n_bins=4, n_cues=3), irc.World()
    agent = irc.Agent(perseveration=-1.5, lapse=0.05)
    record = irc.simulate(agent, world, n_steps=1500, task=task, seed=1)
    fit = irc.fit(record, task, n_starts=1, extras=["perseveration", "lapse"])
    assert fit.space.parameter_names[10:] == agent.extras == ("lapse", "perseveration")
    assert abs(fit.estimate[11] + 1.5) < 0.5
    assert "perseveration" in fit.summary()
    assert irc.decode(record, fit, task).log_likelihood == pytest.approx(fit.log_likelihood)
    truly = irc.decode(record, agent, task)
    assert truly.log_likelihood <= fit.log_likelihood
    counts = irc.resimulate(record, fit, world, task, n_replicates=3)
    own = behavior_counts(record).frequency("action")
    assert np.abs(counts.frequency("action").mean(0) - own).max() < 0.05
    # Held by None means not held, so that an agent's own dictionary may be given.
    held = irc.Agent().model_dump(exclude={"push_cost", "temperature"})
    quick = PosteriorSettings(n_chains=2, n_tune=200, n_draws=200, ess_minimum=10)
    drawn = irc.posterior(record, fit, task, fixed=held, settings=quick)
    assert drawn.draws.shape == (400, 12)
    perseveration = drawn.draws[:, 11]
    assert abs(perseveration.mean() + 1.5) < 3 * perseveration.std()
    assert irc.decode(record, drawn, task).means.shape == (1500, 2)


def test_five_lines_of_the_readme_run_in_any_folder(tmp_path):
    """In an interpreter of its own, without the project on its path."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(
        r"```python\n(import inverse_rational_control as irc\n.*?)```", text, re.DOTALL
    )[1]
    lines = [line for line in code.splitlines() if line and not line.startswith(("import", "#"))]
    assert len(lines) <= 5
    code += "print(beliefs.means.shape)\n"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "appearance_rate_1" in run.stdout
    assert "status: converged" in run.stdout
    assert run.stdout.endswith("(2000, 2)\n")


def test_importing_is_cheap_and_names_are_complete():
    code = "import sys, inverse_rational_control; print('numpy' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": "", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert run.stdout == "False\n", run.stderr
    assert set(irc.__all__) <= set(dir(irc))
    for name in irc.__all__:
        assert getattr(irc, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        _ = irc.fitt


def test_same_seed_same_numbers():
    one, two, three = (irc.simulate(irc.Agent(), irc.World(), 200, seed=s) for s in (4, 4, 5))
    np.testing.assert_array_equal(one.action, two.action)
    assert (one.action != three.action).any()


def test_fixed_and_tied_parameters():
    task = irc.Task(n_bins=4)
    record = irc.simulate(irc.Agent(), irc.World(), 1500, task, seed=2)
    pair = ("appearance_rate_1", "appearance_rate_2")
    found = irc.fit(record, task, n_starts=1, fixed={"push_cost": 0.3}, tied=[pair])
    assert found.estimate[8] == 0.3
    assert found.estimate[0] == found.estimate[1]
    assert found.status in FitStatus
    assert "held fixed" in found.summary()
    with pytest.raises(ValueError, match="'push_costs'"):
        irc.fit(record, task, fixed={"push_costs": 0.3})


def test_resimulation_behaves_like_the_agent_itself():
    record = irc.simulate(irc.Agent(), irc.World(), 2000, seed=6)
    again = irc.resimulate(record, irc.Agent(), irc.World(), n_replicates=30)
    own, others = behavior_counts(record).frequency("action"), again.frequency("action")
    deviation = others.std(0, ddof=1)
    assert (np.abs(own - others.mean(0)) < 5 * deviation).all()


@pytest.fixture(scope="module")
def drawn():
    """A short record, and draws from the posterior of two of its agent's parameters."""
    task = irc.Task(n_bins=4)
    record = irc.simulate(irc.Agent(), irc.World(), 400, task, seed=3)
    held = irc.Agent().model_dump(exclude={"push_cost", "temperature"})
    settings = PosteriorSettings(n_chains=2, n_tune=100, n_draws=100, ess_minimum=10, n_carried=9)
    return task, record, irc.posterior(record, None, task, fixed=held, settings=settings)


def test_posterior_in_words(drawn):
    _, _, posterior = drawn
    lines = posterior.summary().splitlines()
    assert all(len(line) <= 88 for line in lines)
    assert "95 % interval" in lines[0]
    row = next(line.split() for line in lines if line.startswith("temperature"))
    lower, median, upper = posterior.quantiles([0.025, 0.5, 0.975])[:, 9]
    assert row[2:6] == [f"{median:.4g}", f"{lower:.4g}", "to", f"{upper:.4g}"]
    assert sum("held fixed" in line for line in lines) == 8
    assert any(line.startswith("status: ") for line in lines)
    assert np.isfinite(posterior.draws).all()
    assert 0.1 < median < 0.4, "the truth is 0.2"


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        ({"temprature": (0.1, 0.5)}, r"prior\.temprature: unknown key .* prior\.temperature, "),
        (
            {"push_cost": (0.5, 0.1)},
            r"prior\.push_cost: found \[0\.5, 0\.1\], allowed: \[low, high",
        ),
        ({"appearance_rate_1": (0.0, 0.5)}, r"prior\.appearance_rate_1: .* >= 1e-06 and <= 0\.99"),
        ({"diffusion_bins": (0.05, 1.0)}, r"prior\.diffusion_bins: .* > 0\.1"),
        ({"temperature": np.array([0.1, np.nan])}, r"prior\.temperature: found \[0\.1, nan\], al"),
        ({"temperature": 0.1}, r"prior\.temperature: found 0\.1, allowed: \[low, high\]"),
        ({"temperature": "flat"}, r"prior: found flat, allowed: a proper prior"),
    ],
)
def test_a_prior_of_nothing_is_refused_in_the_words_of_the_configuration(drawn, prior, said):
    task, record, _ = drawn
    with pytest.raises(ValueError, match=said):
        irc.posterior(record, irc.Agent(), task, prior=prior)


def test_draws_are_gone_on_with(drawn):
    task, record, posterior = drawn
    posterior = dataclasses.replace(posterior, status=PosteriorStatus.ROUGH)
    beliefs = irc.decode(record, posterior, task)
    draws = posterior.thinned(9)
    expected = np.mean([irc.decode(record, theta, task).posterior for theta in draws], axis=0)
    np.testing.assert_allclose(beliefs.posterior, expected, rtol=1e-12)
    np.testing.assert_array_equal(beliefs.path, irc.decode(record, posterior.mode, task).path)
    counts = irc.resimulate(record, posterior, irc.World(), task, n_replicates=20)
    assert counts.action.sum(1).tolist() == [400] * 20
    again = irc.resimulate(record, posterior.mode, irc.World(), task, n_replicates=20)
    assert (counts.action != again.action).any()


def test_draws_that_have_not_converged_are_refused(drawn):
    task, record, posterior = drawn
    posterior = dataclasses.replace(posterior, status=PosteriorStatus.NOT_CONVERGED)
    for go_on in (irc.decode, lambda r, p, t: irc.resimulate(r, p, irc.World(), t)):
        with pytest.raises(ValueError, match="found status not_converged"):
            go_on(record, posterior, task)
    assert "nothing to report" in posterior.summary()


def test_a_record_is_written_and_read_again(tmp_path):
    task = irc.Task(n_bins=5, discount=0.9)
    record = irc.simulate(irc.Agent(), irc.World(), 200, task, seed=2)
    irc.write_record(record, tmp_path / "monkey.nc", task)
    again = irc.read_record(tmp_path / "monkey.nc", task)
    for name, column in record.columns().items():
        np.testing.assert_array_equal(again.columns()[name], column)
    with pytest.warns(UserWarning, match="true beliefs are left out"):
        assert irc.read_record(tmp_path / "monkey.nc", irc.Task(discount=0.9)).belief_bin is None
    with pytest.raises(ValueError, match="belief_bin_1 at row"):
        irc.write_record(record, tmp_path / "other.nc", irc.Task(n_bins=2))


def test_the_files_of_a_person_are_read_by_a_layout(tmp_path):
    path = tmp_path / "rats.csv"
    path.write_text(
        "rat;where;did;reward;cue_1;cue_2\n7;L;hit;0;1;2\n8;0;stay;0;1;2\n7;L;stay;1;0;2\n"
    )
    layout = irc.Layout(
        columns={"location": "where", "action": "did"},
        codes={"location": {"L": "box 1"}, "action": {"hit": "push"}},
        subject="rat",
        only_subject="7",
    )
    with pytest.warns(UserWarning, match="separated by semicolons"):
        record = irc.read_record(path, layout=layout)
    assert record.reward.tolist() == [0, 1] and record.action.tolist() == [4, 0]


def test_the_worked_example_from_python_alone(tmp_path, capsys):
    """Small: what is decoded from events correlates with what the subjects believed."""
    record_events.main(str(tmp_path), n_steps=250, seed=5)
    correlations = tutorial.main(str(tmp_path), n_starts=1, n_reserve_starts=0)
    assert list(correlations) == ["Ada", "Bo 2"]
    # Fits of 710 steps; docs/tutorial.md has those of 2850.
    assert min(correlations.values()) > 0.85
    said = capsys.readouterr().out
    assert "a new session begins" in said and "temperature" in said


def test_the_tutorial_says_what_the_example_does(tmp_path, monkeypatch):
    """Its configuration is the example's, and its lines run."""
    text = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    configuration = (ROOT / "examples/foraging.yaml").read_text(encoding="utf-8")
    assert re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1] in configuration
    (tmp_path / "examples").mkdir()
    record_events.main(str(tmp_path / "examples"), n_steps=100)
    monkeypatch.chdir(tmp_path)
    # Two parameters are quickly found, and not at a bound.
    known = {name: value for name, value in vars(irc.Agent()).items() if value is not None}
    held = {name: known[name] for name in known if name not in ("push_cost", "temperature")}
    quick = functools.partial(irc.fit, fixed=held, n_starts=1, n_reserve_starts=0)
    monkeypatch.setattr(irc, "fit", quick)
    names = {}
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], names)
    assert names["beliefs"].means.shape == (names["steps"].time.size, 2)


def test_steps_of_events_lose_little_of_the_beliefs():
    """With the true parameters, events in seconds decode about as well as the steps behind them."""
    agent, task = irc.Agent(), record_events.TASK
    record = irc.simulate(agent, irc.World(), 3000, task, seed=11)
    rows = record_events.events_of(record, np.random.default_rng(11))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        lines = (",".join(map(str, row)) for row in rows)
        path.write_text("\n".join(("time,event,box,value", *lines)))
        steps = irc.read_events(path, 1.0, task)
    truth = (record.belief_bin + 0.5) / task.n_bins
    by_steps, by_events = (
        np.corrcoef(irc.decode(each, agent, task).means.ravel(), truth.ravel())[0, 1]
        for each in (record, steps.record)
    )
    assert by_steps > 0.9
    assert by_events > by_steps - 0.03
