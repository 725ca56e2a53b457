"""Every table of every agent is a probability table."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.plain import updated_belief
from inverse_rational_control.parameters import natural, natural_jacobian, unconstrained
from inverse_rational_control.task import GROOMING_OPTIONS, Task
from tests.oracles.probability_tables import check_probability_table

probability = st.floats(1e-4, 1 - 1e-4)
money = st.floats(-0.5, 1.0)

tasks = st.builds(
    Task,
    n_bins=st.integers(2, 9),
    n_cues=st.integers(2, 6),
    diffusion=st.none() | st.floats(0.01, 1.0),
    discount=st.floats(0.5, 0.99),
    grooming=st.sampled_from(GROOMING_OPTIONS),
    restricted_actions=st.booleans(),
)
agents = st.tuples(*[probability] * 6, *[money] * 3, st.floats(0.05, 2.0)).map(np.array)


@given(agents, tasks)
def test_tables_sum_to_one(theta, task):
    model = agent_model(theta, task)
    for box in model.boxes:
        # Rows of N <= 9 entries, averages over 8 nodes: rounding stays below 1e-12.
        check_probability_table(box.kernel, 2, "kernel", 1e-12)
        check_probability_table(box.reset_kernel, 1, "reset", 1e-12)
        check_probability_table(box.cue_probability, 0, "cue", 1e-12)
        check_probability_table(box.reset_cue_probability, 0, "reset cue", 1e-12)
        check_probability_table(box.planner_transition, 1, "transition", 1e-12)
        check_probability_table(box.planner_reset, 0, "planner reset", 1e-12)
        for jacobian in (
            box.kernel_jacobian,
            box.reset_kernel_jacobian,
            box.planner_transition_jacobian,
        ):
            # A derivative of something that sums to one sums to zero.
            scale = max(1.0, np.abs(jacobian).max())
            assert np.abs(jacobian.sum(-1)).max() < 1e-11 * scale
    check_probability_table(model.plan.policy, 1, "policy", 1e-12)
    assert (model.plan.policy[~task.available] == 0).all()
    assert (model.plan.policy[task.available] >= 0).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), probability, probability)
def test_updated_belief_stays_in_the_unit_interval(beliefs, gamma, eps):
    for cue in range(4):
        cues = np.full(len(beliefs), cue)
        after = updated_belief(np.array(beliefs), cues, gamma, eps, 0.3, 0.7, 4)
        assert ((after >= 0) & (after <= 1)).all()


@given(agents)
def test_coordinates_are_inverse_and_jacobians_match(theta):
    eta = unconstrained(theta)
    # A logit near 9 loses nine digits at most in 1 - p, of sixteen.
    np.testing.assert_allclose(natural(eta), theta, rtol=1e-11)
    step = 1e-6
    difference = (natural(eta + step) - natural(eta - step)) / (2 * step)
    np.testing.assert_allclose(difference, natural_jacobian(theta), rtol=1e-5, atol=1e-9)
