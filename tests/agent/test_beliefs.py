"""Belief tables against plain loops, their derivatives, their tails."""

import numpy as np
import pytest

from inverse_rational_control.agent import plain
from inverse_rational_control.agent.beliefs import bin_centers, box_beliefs
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.foraging.likelihood import chain_inputs, evaluate
from inverse_rational_control.task import Task
from tests.oracles.dense_planner import agent_tables
from tests.oracles.probability_tables import check_probability_table

BOX = (0.2, 0.1, 0.42, 0.66)
TABLES = ("kernel", "reset_kernel", "planner_transition", "planner_reset")


@pytest.mark.parametrize(
    "task",
    [Task(), Task(n_bins=2, n_cues=2), Task(n_bins=7, n_cues=6), Task(n_bins=4, diffusion=0.3)],
    ids=str,
)
@pytest.mark.parametrize("seed", [0, 1])
def test_tables_equal_plain_loops(task, seed, random_agent):
    theta = random_agent(seed)
    model = agent_model(theta, task)
    for box, tables in zip(model.boxes, agent_tables(theta, task), strict=True):
        kernel, reset, seen, reset_seen = tables
        transition, row = plain.averaged(*tables)
        # Sums of about ten numbers below one: rounding stays below 1e-14 per term.
        np.testing.assert_allclose(box.kernel, kernel, rtol=0, atol=1e-13)
        np.testing.assert_allclose(box.reset_kernel, reset, rtol=0, atol=1e-13)
        np.testing.assert_allclose(box.cue_probability, seen, rtol=0, atol=1e-13)
        np.testing.assert_allclose(box.reset_cue_probability, reset_seen, rtol=0, atol=1e-13)
        np.testing.assert_allclose(box.planner_transition, transition, rtol=0, atol=1e-13)
        np.testing.assert_allclose(box.planner_reset, row, rtol=0, atol=1e-13)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("task", [Task(), Task(n_bins=3, n_cues=2)], ids=str)
def test_jacobians_equal_central_differences(table, task):
    jacobian = getattr(box_beliefs(*BOX, task), f"{table}_jacobian")
    step = 1e-5
    for k in range(4):
        up, down = list(BOX), list(BOX)
        up[k] += step
        down[k] -= step
        difference = getattr(box_beliefs(*up, task), table) - getattr(
            box_beliefs(*down, task), table
        )
        # Truncation step^2 times a third derivative of order 1/sigma^3 = 1e4; rounding 1e-11.
        np.testing.assert_allclose(difference / (2 * step), jacobian[k], rtol=0, atol=2e-6)


@pytest.mark.parametrize("task", [Task(), Task(n_bins=3, n_cues=2, cue_share=0.5)], ids=str)
def test_tables_are_the_same_bits_whatever_derivatives_they_come_with(task):
    boxes = [box_beliefs(*BOX, task, n_derivatives) for n_derivatives in (0, 4, 5)]
    for table in TABLES:
        values = [getattr(box, table) for box in boxes]
        np.testing.assert_array_equal(values[1], values[0])
        np.testing.assert_array_equal(values[2], values[0])
        none, four, five = (getattr(box, f"{table}_jacobian") for box in boxes)
        assert none.shape == (0, *values[0].shape) and five.shape == (5, *values[0].shape)
        np.testing.assert_array_equal(four, five[:4])
    without = [box.steps(task.n_cues + 2) for box in boxes]
    for name in ("kernel", "reset_kernel"):
        np.testing.assert_array_equal(getattr(without[0], name), getattr(without[1], name))


def test_default_diffusion_is_half_a_bin():
    assert Task(n_bins=8).sigma == 1 / 16
    assert Task(n_bins=8, diffusion=0.2).sigma == 0.2


def test_tails_keep_their_relative_accuracy():
    """Masses far from the mean against quadrature of the density, which has no cancellation."""
    task = Task(n_bins=40, n_cues=5)
    box = box_beliefs(*BOX, task)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    edges = np.arange(41) / 40
    checked = 0
    for cue in (0, 4):
        mean = plain.updated_belief(0.0, cue, *BOX, 5)
        z = (0.5 * (edges[1:] + edges[:-1])[:, None] + 0.5 * nodes / 40 - mean) / task.sigma
        density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
        mass = density @ weights * 0.5 / 40 / task.sigma
        mass /= mass.sum()
        seen = mass > 1e-290
        # exp(-z^2/2) has relative rounding z^2/2 * 2e-16, about 1e-13 at z = 36.
        np.testing.assert_allclose(box.reset_kernel[cue][seen], mass[seen], rtol=1e-11)
        assert (box.reset_kernel[cue][~seen] <= 1e-280).all()
        checked += (seen & (mass < 1e-20)).sum()
    assert checked >= 10, "the case reaches into the tails"


def test_underflown_kernel_entries_never_give_zero_by_zero(random_record, paper_agent):
    task = Task(n_bins=40, n_cues=5)
    model = agent_model(paper_agent, task)
    assert (model.boxes[0].kernel == 0).any(), "the case has entries that underflow"
    record = random_record(task, [30], seed=1)
    found = evaluate(paper_agent, chain_inputs(record), task)
    assert np.isfinite(found.log_likelihood)
    assert np.isfinite(found.gradient).all()
    for ratio in (found.counts.ratio_1, found.counts.ratio_2):
        assert np.isfinite(ratio).all()
    for reset_ratio in (found.counts.reset_ratio_1, found.counts.reset_ratio_2):
        assert np.isfinite(reset_ratio).all()


def test_extreme_agents_have_finite_tables():
    """A trial of a fit may go far: probabilities of 1e-10 still give tables, not NaN."""
    for values in ((1e-10, 1e-10, 1e-10, 1 - 1e-10), (1 - 1e-10, 1 - 1e-10, 0.5, 0.5)):
        box = box_beliefs(*values, Task())
        for table in TABLES:
            assert np.isfinite(getattr(box, table)).all()
            assert np.isfinite(getattr(box, f"{table}_jacobian")).all()
        np.testing.assert_allclose(box.kernel.sum(2), 1.0, rtol=0, atol=1e-12)


def test_updated_belief_by_hand():
    # Two cues: P(0|present) = 0.75, P(0|absent) = 0.25; the prediction from 0 is 0.2.
    before, cue = np.array([0.0, 0.0, 0.5]), np.array([0, 1, 0])
    belief = plain.updated_belief(before, cue, 0.2, 0.1, 0.25, 0.75, 2)
    # From 1/2 it is 0.2 + 0.7 / 2 = 0.55.
    np.testing.assert_allclose(belief, [0.15 / 0.35, 0.05 / 0.65, 0.4125 / 0.525], rtol=1e-13)


def test_kernel_depends_on_the_reset_rule_only_through_belief_zero():
    """The reset row starts from belief exactly 0, not from the lowest bin's average."""
    box = box_beliefs(*BOX, Task())
    assert np.abs(box.reset_kernel - box.kernel[:, 0]).max() > 1e-3
    fine = box_beliefs(*BOX, Task(n_bins=400, diffusion=0.05))
    # The lowest of 400 bins holds beliefs up to 0.0025: the row differs by that times a derivative.
    assert np.abs(fine.reset_kernel - fine.kernel[:, 0]).max() < 1e-3


def test_bin_centers():
    np.testing.assert_array_equal(bin_centers(4), [0.125, 0.375, 0.625, 0.875])


def test_check_probability_table_names_the_entry():
    good = np.array([[0.25, 0.75], [0.5, 0.5]])
    check_probability_table(good, 1, "table")
    for bad, words in (
        (np.array([[0.25, 0.75], [0.6, 0.5]]), r"table.*\[1\].*1\.1"),
        (np.array([[1.25, -0.25], [0.5, 0.5]]), r"table\[0, 1\].*-0\.25"),
        (np.array([[np.nan, 1.0], [0.5, 0.5]]), r"table\[0, 0\].*nan"),
    ):
        with pytest.raises(AssertionError, match=words):
            check_probability_table(bad, 1, "table")
