"""Which description a record wants, by steps held out of the fit; the probability of every step."""

from dataclasses import replace

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.alternative_models import PAPER
from inverse_rational_control.chain.forward_backward import step_log_likelihoods
from inverse_rational_control.chain.log_space import log_step_log_likelihoods
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.comparison import Comparison
from inverse_rational_control.foraging.description_fits import DescriptionFits
from inverse_rational_control.foraging.descriptions import compare_descriptions
from inverse_rational_control.foraging.holding_out import held_out_parts, without_part
from inverse_rational_control.foraging.likelihood import (
    chain_inputs,
    chain_tables,
    model_log_likelihood,
)
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.parameters import agent_parameters
from inverse_rational_control.random_streams import stream
from inverse_rational_control.studies.alternatives.memoryless import Memoryless
from inverse_rational_control.task import ABSENT, MISSING, Task
from tests.conftest import PAPER_AGENT, PAPER_WORLD

TASK = Task(n_bins=4, n_cues=3)
EXTRAS = ("lapse", "perseveration")


def _model(paper_agent, extras, values):
    return agent_model(np.append(paper_agent, values), TASK, extras)


def test_steps_are_the_growth_of_the_log_likelihood(paper_agent, random_record):
    model = _model(paper_agent, EXTRAS, [0.1, 1.0])
    record = random_record(TASK, [20, 1, 9], seed=2)
    tables, inputs = chain_tables(model), chain_inputs(record, EXTRAS)
    steps = step_log_likelihoods(tables, inputs)
    grown = [
        model_log_likelihood(model, chain_inputs(record.head(t), EXTRAS)) for t in range(1, 31)
    ]
    np.testing.assert_allclose(np.cumsum(steps), grown, rtol=0, atol=1e-10)
    in_logarithms = log_step_log_likelihoods(tables, inputs)
    np.testing.assert_allclose(in_logarithms, steps, rtol=0, atol=1e-10)


def test_very_strict_agents_steps_are_in_logarithms(paper_agent, random_record):
    theta = np.append(paper_agent[:9], 0.002)
    model = agent_model(theta, TASK)
    record = random_record(TASK, [40], seed=2)
    steps = step_log_likelihoods(chain_tables(model), chain_inputs(record))
    assert steps.sum() == pytest.approx(model_log_likelihood(model, chain_inputs(record)), rel=1e-9)
    assert steps.min() < -100


@pytest.mark.parametrize("lacking", [(), (ABSENT, MISSING)], ids=["all cues", "some cues"])
def test_memoryless_steps_sum_to_its_log_likelihood(random_record, lacking):
    record = random_record(TASK, [300], seed=2)
    cue = record.cue.copy()
    for number, kind in enumerate(lacking):
        cue[number::7, number] = kind
    record = replace(record, cue=cue)
    fitted = Memoryless(TASK, 0.01).fit(record)
    assert fitted.step_log_likelihoods(record).sum() == pytest.approx(fitted.log_likelihood(record))


def test_parts_are_sessions_where_there_are_enough_and_blocks_elsewhere(random_record):
    record = random_record(TASK, [30, 10, 40, 20], seed=2)
    part = held_out_parts(record, 3)
    assert part.max() == 2
    for number in range(4):
        assert np.unique(part[record.session == number]).size == 1
    assert (np.bincount(held_out_parts(record, 5)) == 20).all()
    assert (np.diff(held_out_parts(record, 5)) >= 0).all()


def test_what_follows_a_held_out_block_is_a_session_of_its_own(random_record):
    record = random_record(TASK, [30, 30], seed=2)
    held_out = np.zeros(60, dtype=bool)
    held_out[10:15] = True
    kept = without_part(record, held_out)
    kept.check(TASK)
    np.testing.assert_array_equal(np.bincount(kept.session), [10, 15, 30])
    np.testing.assert_array_equal(kept.action, record.action[~held_out])
    assert kept.session_starts[10]


def _compared(model, world, names, seed=4, n_steps=1500):
    record = simulate(model, world, n_steps, np.random.default_rng(seed))
    return compare_descriptions(
        record,
        TASK,
        FitSettings(max_evaluations=80),
        lambda number: stream(seed, "start", number),
        {"memoryless": Memoryless(TASK, 0.01)},
        {name: (name,) for name in names},
        n_parts=2,
        n_starts=1,
    )


def test_the_generating_description_is_found(paper_agent, paper_world):
    model = _model(paper_agent, ("perseveration",), [-2.0])
    found = _compared(model, paper_world, ["perseveration", "lapse"])
    assert found.names == (PAPER, "perseveration", "lapse", "memoryless")
    assert found.n_parameters.tolist() == [10, 11, 11, 36]
    assert np.isfinite(found.step_log_likelihood).all()
    assert found.best == "perseveration"
    assert found.told_apart("perseveration", PAPER)
    assert not found.told_apart("lapse", PAPER)
    # Perseveration is a memory, of which neither the paper's model nor the baseline has anything.
    assert found.estimates["perseveration"].shape == (2, 11)
    assert abs(found.estimates["perseveration"][:, 10] + 2.0).max() < 0.5
    assert found.said().startswith(
        "described best by the paper's model with perseveration; the paper"
    )
    assert "nats: the paper's model with perseveration -" in found.details()


def test_a_lapse_that_is_there_is_named(paper_agent, paper_world):
    """Of an agent that is strict but for its lapses; a loose one's look like its temperature."""
    strict = np.append(paper_agent[:9], 0.1)
    found = _compared(_model(strict, ("lapse",), [0.2]), paper_world, ["lapse"], n_steps=3000)
    assert found.best == "lapse"
    assert found.told_apart("lapse", PAPER)
    assert abs(found.estimates["lapse"][:, 10] - 0.2).max() < 0.08
    assert found.verdict().startswith("described best by the paper's model with lapse;")
    # Without lapses, the same agent's record wants none.
    assert _compared(agent_model(strict, TASK), paper_world, ["lapse"]).best == PAPER


def test_the_papers_model_is_found_where_it_made_the_record(paper_agent, paper_world):
    found = _compared(agent_model(paper_agent, TASK), paper_world, ["lapse"])
    assert found.best == PAPER
    assert (
        found.verdict()
        == "described best by the paper's model, which beats the memoryless baseline"
    )


@pytest.fixture(scope="module")
def part_of_a_record():
    """The last 700 of 1000 steps, which nothing of the first 300 is known for, and two spaces."""
    record = simulate(agent_model(np.array(PAPER_AGENT), TASK), np.array(PAPER_WORLD), 1000,
                      np.random.default_rng(3))  # fmt: skip
    spaces = {
        PAPER: parameter_space(),
        "lapse": parameter_space(parameters=agent_parameters(("lapse",), 4)),
    }
    return ForagingObjective(without_part(record, np.arange(1000) < 300), TASK), spaces


def test_fits_to_parts_reach_the_maxima_of_fits_of_their_own(part_of_a_record):
    objective, spaces = part_of_a_record
    settings = FitSettings()
    found = DescriptionFits(TASK, spaces, settings, lambda k: stream(1, k), 2).of(objective)
    for name, space in spaces.items():
        alone = fit_from_random_starts(objective.within(space), settings, lambda k: stream(2, k), 3)
        assert found[name].log_likelihood == pytest.approx(alone.log_likelihood, abs=0.02)
        assert found[name].status == alone.status
        assert len(found[name].starts) == 2
        assert found[name].log_likelihood == max(s.log_likelihood for s in found[name].starts)
    assert found["lapse"].log_likelihood >= found[PAPER].log_likelihood - 0.01


def test_no_fit_knows_of_the_steps_held_out(paper_agent, paper_world):
    """Other steps in the part that is scored change nothing of the estimates it is scored by."""
    model = agent_model(paper_agent, TASK)
    one = simulate(model, paper_world, 400, np.random.default_rng(3))
    other = simulate(model, paper_world, 400, np.random.default_rng(4))
    settings = FitSettings(max_evaluations=20, candidates_per_start=3)

    def estimates(first):
        columns = {
            name: None
            if column is None
            else np.concatenate([getattr(first, name)[:200], column[200:]])
            for name, column in one.__dict__.items()
        }
        record = replace(one, **columns | {"session": np.repeat([0, 1], 200)})
        found = compare_descriptions(
            record, TASK, settings, lambda k: stream(1, k), {}, {"lapse": ("lapse",)}, 2, 2
        )
        return {name: theta[0] for name, theta in found.estimates.items()}

    for name, theta in estimates(one).items():
        np.testing.assert_array_equal(theta, estimates(other)[name])


def test_what_is_held_every_description_has(paper_agent, random_record):
    settings = FitSettings(max_evaluations=5, candidates_per_start=1)
    record = random_record(TASK, [100, 100], seed=2)
    equal = parameter_space({}, [("appearance_rate_1", "appearance_rate_2")])
    found = compare_descriptions(
        record,
        TASK,
        settings,
        lambda k: stream(1, k),
        {},
        {"lapse": ("lapse",), "habit": ("perseveration",)},
        2,
        1,
        fixed={"lapse": 0.1},
        bounded={"perseveration": (0.5, 1.5)},
        alternatives={"equal": equal},
    )
    # The lapse is held, so that a description with it says nothing new.
    assert found.names == (PAPER, "habit", "equal")
    assert found.n_parameters.tolist() == [10, 11, 9]
    np.testing.assert_allclose(found.estimates[PAPER][:, 10], 0.1, rtol=1e-12)
    habit = found.estimates["habit"]
    np.testing.assert_allclose(habit[:, 10], 0.1, rtol=1e-12)
    assert ((habit[:, 11] >= 0.5) & (habit[:, 11] <= 1.5)).all()
    rates = found.estimates["equal"]
    np.testing.assert_allclose(rates[:, 0], rates[:, 1], rtol=1e-9)
    said = replace(found, step_log_likelihood=np.array([[-2.0], [-3.0], [-1.0]] * np.ones(200)))
    assert said.best == "equal"
    assert said.verdict() == "described best by the alternative model equal"


def test_an_alternative_may_have_bounds_and_priors_and_is_then_the_simpler(
    paper_agent, paper_world
):
    record = simulate(agent_model(paper_agent, TASK), paper_world, 600, np.random.default_rng(1))
    bounded = parameter_space(bounded={"temperature": (0.1, 0.3)})
    found = compare_descriptions(
        record,
        TASK,
        FitSettings(max_evaluations=60),
        lambda k: stream(1, k),
        {},
        {},
        2,
        1,
        alternatives={"bounded": bounded, "prior": parameter_space()},
        priors={"prior": {"push_cost": (0.5999, 0.6001)}},
    )
    assert found.n_parameters.tolist() == [10, 10, 10]
    temperatures = found.estimates["bounded"][:, 9]
    assert ((temperatures >= 0.1) & (temperatures <= 0.3)).all()
    np.testing.assert_allclose(found.estimates["prior"][:, 8], 0.6, atol=1e-3)
    assert abs(found.estimates[PAPER][:, 8] - 0.6).min() > 0.05
    assert found.best in ("bounded", "prior"), "not told apart from the paper's model, but simpler"


def test_scores_are_of_steps_that_were_not_fitted(paper_agent, paper_world):
    """A baseline that remembers what it was fitted to has seen none of what it is scored on."""

    class Remembers:
        n_parameters = 0

        def fit(self, record):
            self.seen = set(map(tuple, np.column_stack([record.cue, record.food]).tolist()))
            self.n_seen = record.n_steps
            return self

        def step_log_likelihoods(self, record):
            return np.full(record.n_steps, -float(self.n_seen))

    record = simulate(agent_model(paper_agent, TASK), paper_world, 300, np.random.default_rng(1))
    settings = FitSettings(max_evaluations=5, candidates_per_start=1)
    found = compare_descriptions(
        record, TASK, settings, lambda k: stream(1, k), {"it": Remembers()}, {}, 3, 1
    )
    assert (found.step_log_likelihood[1] == -200).all()
    assert np.bincount(found.part).tolist() == [100, 100, 100]


EXTRA = ("lapse", "perseveration", "diffusion", "discount")


def _held_out(rng, effects, n_parts, part_steps=300):
    """Held-out gains of four means of a normal, each estimated from the other parts or left at 0.

    What an extra parameter is where the likelihood is quadratic: shape (parts, 6), the simplest first,
    then with each mean, with all.
    """
    sums = rng.normal(np.array(effects) * part_steps, np.sqrt(part_steps), (n_parts, 4))
    elsewhere = (sums.sum(0) - sums) / (part_steps * (n_parts - 1))
    gains = elsewhere * sums - 0.5 * part_steps * elsewhere**2
    return np.column_stack([np.zeros(n_parts), gains, gains.sum(1)])


def _comparison(gains):
    """A comparison with one step per part."""
    names = (PAPER, *EXTRA, "all")
    n_parameters = np.array([10, 11, 11, 11, 11, 14])
    estimates = {name: np.zeros((1, n)) for name, n in zip(names, n_parameters, strict=True)}
    return Comparison(names, n_parameters, np.arange(len(gains)), gains.T, estimates, {})


def _highest(found):
    """The wrong rule: what is highest is best."""
    return found.names[int(np.argmax(found.mean))]


def _within_an_error(found):
    """Another: the simplest within one standard error of the highest, from few parts."""
    top = _highest(found)
    near = [
        name
        for name in found.names
        if found.difference(top, name)[0] <= found.difference(top, name)[1]
    ]
    return min([top, *near], key=lambda name: found.n_parameters[found.names.index(name)])


@pytest.mark.parametrize("n_parts", [2, 5])
def test_chance_is_not_taken_for_an_extra_parameter(n_parts):
    """Of 1000 that have none: named for 1 % (2.5 % with two parts), by wrong rules for far more."""
    rng = np.random.default_rng(1)
    found = [_comparison(_held_out(rng, [0, 0, 0, 0], n_parts)) for _ in range(1000)]
    named = {
        rule: np.mean([choose(each) != PAPER for each in found])
        for rule, choose in (
            ("best", lambda each: each.best),
            ("highest", _highest),
            ("one error", _within_an_error),
            ("two errors", lambda each: each.names[_beyond_two_errors(each)]),
        )
    }
    # Three binomial errors above 0.025.
    assert named["best"] < 0.04
    assert named["highest"] > 0.5
    assert named["one error"] > 0.1
    if n_parts == 2:
        assert named["two errors"] > 0.3


def _beyond_two_errors(found):
    """A third: without the least gain in nats."""
    apart = [found.difference(name, PAPER) for name in found.names]
    beyond = [gain if gain > 2 * error else -np.inf for gain, error in apart]
    return int(np.argmax(beyond)) if max(beyond) > 0 else 0


def test_an_extra_parameter_that_is_there_is_named():
    rng = np.random.default_rng(2)
    best = [_comparison(_held_out(rng, [0, 0.2, 0, 0], 5)).best for _ in range(300)]
    assert np.mean([name == "perseveration" for name in best]) > 0.85
    assert _comparison(_held_out(rng, [0.5, 0.5, 0.5, 0.5], 5)).best == "all"


def test_what_does_not_beat_the_simpler_one_itself_is_not_named():
    """All extras are told apart from none, one of them is not: it is no step on the way."""
    gains = np.array([[0, 1.2, 0, 0, 0, 2.4], [0, 0.9, 0, 0, 0, 2.0], [0, 0.8, 0, 0, 0, 1.4]])
    found = _comparison(gains)
    assert found.told_apart("all", PAPER)
    assert not (found.told_apart("lapse", PAPER) or found.told_apart("all", "lapse"))
    assert found.best == "all"


def test_a_fit_that_led_nowhere_is_never_best():
    gains = np.tile([0.0, np.nan, 9.0, 0.0, np.nan, 1.0], (5, 1)) + 1e-3 * np.arange(5)[:, None]
    found = _comparison(gains * np.linspace(0.9, 1.1, 5)[:, None])
    assert found.best == "perseveration"
    assert "nan" in found.details()
