"""The planner against explicit state matrices, and its pitfalls (docs/model.md section 5)."""

import dataclasses

import numpy as np
import pytest

from inverse_rational_control.agent import _bellman_kernels, gradient, jacobian, plain
from inverse_rational_control.agent import planner as planning
from inverse_rational_control.agent._vector_code import exp_nonpositive
from inverse_rational_control.agent.bellman import Plan, backup, iterate
from inverse_rational_control.agent.continuations import continuations
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.planner import softmax_plan
from inverse_rational_control.parameters import REWARDS_AND_COSTS, TEMPERATURE
from inverse_rational_control.task import ACTIONS, DESTINATION, LOCATIONS, OPENED_BOX, Task
from tests import REFERENCE
from tests.oracles import dense_planner as dense

TASKS = [
    Task(n_bins=3, n_cues=3),
    Task(n_bins=3, n_cues=2, grooming="presence", discount=0.95),
    Task(n_bins=2, n_cues=4, restricted_actions=True),
    Task(n_bins=4, n_cues=5, grooming="presence", restricted_actions=True, diffusion=0.2),
]
SLIPS = {
    "middle": {"box 1": {"middle": 0.2, "box 1": 0.8}, "box 2": {"box 1": 0.05, "box 2": 0.95}},
    "box 1": {"box 2": {"box 1": 0.3, "middle": 0.5, "box 2": 0.2}, "middle": {"middle": 1.0}},
    "box 2": {"box 1": {"box 1": 1.0}, "box 2": {"box 2": 0.9, "middle": 0.1}},
}
NEVER_PUSHES_IN_THE_MIDDLE = {"middle": ["stay", "go to box 1", "go to box 2"]}
#: Other rules of movement, of availability, and of cues.
TRAVELS = [
    Task(n_bins=3, n_cues=3, travel="direct"),
    Task(n_bins=3, n_cues=2, travel=SLIPS, grooming="presence", discount=0.95),
    Task(n_bins=2, n_cues=3, travel=SLIPS, available_actions=NEVER_PUSHES_IN_THE_MIDDLE),
    Task(n_bins=4, n_cues=3, travel="direct", grooming="presence", restricted_actions=True),
]
OTHER_TASKS = [
    *TRAVELS,
    Task(n_bins=3, n_cues=3, available_actions={"box 1": ["push", "go to middle"]}),
    Task(n_bins=3, n_cues=3, cue_share=0.4),
    Task(n_bins=4, n_cues=1),
]
TASKS += OTHER_TASKS
#: Slow to value-iterate: spectral radius 0.953 with 4 bins and 3 cues, 0.977 with 10 bins and 5 cues.
SLOW_AGENT = np.array(
    [
        *(0.37718678, 0.38787527, 0.33396039, 0.41271425, 0.21663545),
        *(0.61111302, 0.04176693, 0.17098065, 0.47127709, 0.21117781),
    ]
)


def _agent(name):
    with np.load(REFERENCE / f"{name}.npz") as stored:
        return stored["theta"]


def _stacked(table, n):
    """[location, action, n, n] as [state, action]."""
    return np.moveaxis(table, 1, -1).reshape(3 * n * n, 5)


def test_rules_of_movement_are_the_same_everywhere():
    """The task's tables against the oracle's sentences, and the planner's continuations against both."""
    ahead = continuations(Task())
    for location in range(len(LOCATIONS)):
        for action in range(len(ACTIONS)):
            goes_to = dense.destination(location, action)
            opened = location if action == dense.PUSH else 0
            assert DESTINATION[location, action] == goes_to
            assert OPENED_BOX[location, action] == opened
            arrives = ahead.arrives[location, ahead.slot[location, action]]
            (follows,) = ahead.outcome[location, np.flatnonzero(arrives)]
            assert arrives.sum() == 1.0
            assert follows == (_bellman_kernels.OPEN if opened else goes_to)


@pytest.mark.parametrize("task", TRAVELS, ids=str)
def test_tables_of_travel_are_the_same_everywhere(task):
    """The task's probabilities against the oracle's, and the planner's continuations against both."""
    ahead = continuations(task)
    assert ahead.arrives.shape[2] == 4
    for location in range(len(LOCATIONS)):
        for action in range(len(ACTIONS)):
            expected = dense.arrival(location, action, task)
            np.testing.assert_allclose(task.arrival[location, action], expected, atol=1e-15)
            found = np.zeros(4)
            arrives = ahead.arrives[location, ahead.slot[location, action]]
            np.add.at(found, ahead.outcome[location], arrives)
            if OPENED_BOX[location, action]:
                expected = np.zeros(3)
            np.testing.assert_allclose(found[:3], expected, atol=1e-15)
            assert found[3] == (OPENED_BOX[location, action] > 0)


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_availability_and_rewards(task, paper_agent):
    model = agent_model(paper_agent, task)
    for location in range(3):
        for action in range(5):
            usable = dense.is_available(location, action, task)
            assert task.available[location, action] == usable
            # The belief-free part: the chance of food is worth nothing at belief 0 = bin -1/2.
            expected = dense.expected_reward(location, -0.5, -0.5, action, paper_agent, task)
            assert model.problem.reward[location, action] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("task", [*TASKS, Task()], ids=str)
@pytest.mark.parametrize("temperature", [0.0, 0.01, 0.3, 5.0])
def test_backup_by_continuations_is_the_plain_one(task, temperature, random_agent):
    """One step of value iteration, which groups actions, against the dense softmax."""
    theta = random_agent(6)
    model = agent_model(theta, task)
    before = 3.0 * np.random.default_rng(1).standard_normal(model.plan.value.shape)
    reward, transition = dense.lumped(theta, task)
    usable = dense.allowed(task.n_bins**2, task)
    if temperature > 0:
        expected = dense.softmax_backup(
            before.ravel(), reward, transition, usable, task.discount, temperature
        )[2]
    else:
        q = reward + task.discount * np.einsum("ast,t->sa", transition, before.ravel())
        expected = np.where(usable, q, -np.inf).max(1)
    problem = dataclasses.replace(model.problem, temperature=temperature)
    value = iterate(problem, before, 0.0, 1).value
    np.testing.assert_allclose(value.ravel(), expected, rtol=0, atol=1e-12)
    found = backup(problem, before)
    np.testing.assert_allclose(found.backed.ravel(), expected, rtol=0, atol=1e-12)
    # And all its tables against the plain backup that is there to be read.
    q_value, policy, backed = plain.softmax_backup(problem, before)
    np.testing.assert_allclose(found.q_value, q_value, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.exp(found.log_policy), policy, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.backed, backed, rtol=0, atol=1e-12)


def test_vector_exponential():
    rng = np.random.default_rng(0)
    x = -np.concatenate([50 * rng.random(20000), 700 * rng.random(20000), 1e-8 * rng.random(99)])
    found = np.array([exp_nonpositive(number) for number in x])
    np.testing.assert_allclose(found, np.exp(x), rtol=2 * np.finfo(float).eps, atol=0)
    assert exp_nonpositive(0.0) == 1.0
    for far in (-700.1, -1e5, -1e308, -np.inf):
        assert exp_nonpositive(far) == 0.0


@pytest.mark.parametrize("task", TASKS, ids=str)
@pytest.mark.parametrize("seed", [3, 4])
def test_solution_is_plain_value_iteration_from_zero(task, seed, random_agent):
    theta = random_agent(seed)
    model = agent_model(theta, task)
    assert model.plan.converged
    reward, transition = dense.lumped(theta, task)
    usable = dense.allowed(task.n_bins**2, task)
    value, q, policy = dense.iterate_softmax(
        reward, transition, usable, task.discount, theta[TEMPERATURE]
    )
    # Both stop at residuals of 1e-11 and below; the constant mode multiplies that by 1/(1-discount).
    np.testing.assert_allclose(model.plan.value.ravel(), value, rtol=0, atol=1e-8)
    found = _stacked(model.plan.q_value, task.n_bins)
    np.testing.assert_allclose(found[usable], q[usable], rtol=0, atol=1e-8)
    assert (found[~usable] == -np.inf).all()
    np.testing.assert_allclose(_stacked(model.plan.policy, task.n_bins), policy, rtol=0, atol=1e-8)
    # And it solves the dense equation itself.
    backed = dense.softmax_backup(
        model.plan.value.ravel(), reward, transition, usable, task.discount, theta[TEMPERATURE]
    )[2]
    assert np.abs(backed - model.plan.value.ravel()).max() < 1e-10


@pytest.mark.parametrize("task", TASKS[:3], ids=str)
def test_food_in_hand_lumps_away(task, paper_agent):
    """The paper's state with the flag gives the same policy, whatever the flag."""
    reward, transition = dense.unlumped(paper_agent, task)
    np.testing.assert_allclose(transition.sum(2), 1.0, rtol=0, atol=1e-12)
    n = task.n_bins
    usable = dense.allowed(2 * n * n, task)
    value, _, policy = dense.iterate_softmax(
        reward, transition, usable, task.discount, paper_agent[TEMPERATURE]
    )
    model = agent_model(paper_agent, task)
    with_flag = policy.reshape(3, 2, n, n, 5)
    for flag in (0, 1):
        np.testing.assert_allclose(
            np.moveaxis(with_flag[:, flag], -1, 1), model.plan.policy, rtol=0, atol=1e-8
        )
        np.testing.assert_allclose(
            value.reshape(3, 2, n, n)[:, flag], model.plan.value, rtol=0, atol=1e-8
        )


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_optimal_plan_is_plain_value_iteration(task, paper_agent):
    plan = agent_model(paper_agent, task).optimal_plan()
    assert plan.converged
    reward, transition = dense.lumped(paper_agent, task)
    usable = dense.allowed(task.n_bins**2, task)
    value = dense.iterate_maximum(reward, transition, usable, task.discount)
    np.testing.assert_allclose(plan.value.ravel(), value, rtol=0, atol=1e-8)
    np.testing.assert_allclose(plan.policy.sum(1), 1.0, rtol=0, atol=1e-12)
    assert (plan.q_value.max(1) - plan.value < 1e-9).all()


def test_optimal_policy_is_the_limit_of_small_temperature(paper_agent):
    task = Task(n_bins=4, n_cues=3)
    model = agent_model(paper_agent, task)
    best = model.optimal_plan()
    gaps = []
    for temperature in (0.08, 0.04, 0.02, 0.01):
        plan = softmax_plan(dataclasses.replace(model.problem, temperature=temperature))
        assert plan.converged
        gap = (best.value - plan.value).max()
        # A softmax over five actions loses at most tau log 5 per step, discounted over all steps.
        assert -1e-8 <= gap <= temperature * np.log(5) / (1 - task.discount)
        gaps.append(gap)
    assert all(np.diff(gaps) < 0)
    ranked = np.sort(best.q_value, 1)
    # Where the best action leads by 20 temperatures, the softmax must have found the same one.
    clear = ranked[:, -1] - ranked[:, -2] > 20 * 0.01
    assert clear.mean() > 0.3
    assert (plan.policy.argmax(1) == best.policy.argmax(1))[clear].all()
    assert (plan.policy.max(1)[clear] > 0.999).all()


def test_ties_share_the_optimal_policy():
    """From box 1, "go to middle" and "go to box 2" lead to the same place at the same cost."""
    theta = np.array([0.2, 0.2, 0.1, 0.1, 0.3, 0.7, 0.5, 0.01, 0.9, 0.2])
    policy = agent_model(theta, Task(n_bins=3, n_cues=2)).optimal_plan().policy
    np.testing.assert_array_equal(policy[1, 1], policy[1, 3])
    assert (policy[1, 1] == 0.5).any()


@pytest.mark.parametrize("name", ["one_box_n10", "bistable_n10", "paper_n10"])
def test_difficult_agents_find_the_solution_that_value_iteration_finds(name):
    """Only backups, thousands of them, no constant mode, no Newton."""
    theta, task = _agent(name), Task()
    model = agent_model(theta, task)
    assert model.plan.converged
    value = iterate(model.problem, np.zeros((3, 10, 10)), 0.0, 6000).value
    # 0.99^6000 = 6e-27 of the first error is left; rounding of |V| = 50 over 100 steps is.
    np.testing.assert_allclose(model.plan.value, value, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "factor", [0.97, 0.9709, 0.970902, 0.9709023707, 0.9709023708, 0.970903, 0.971, 0.98]
)
def test_basins_are_those_of_value_iteration_from_zero(factor):
    """Around the edge between two basins, where it first runs towards the saddle between them."""
    theta, task = _agent("bistable_n10"), Task()
    theta[0] *= factor
    model = agent_model(theta, task)
    assert model.plan.converged
    value = iterate(model.problem, np.zeros((3, 10, 10)), 0.0, 6000).value
    np.testing.assert_allclose(model.plan.value, value, rtol=0, atol=1e-9)


def test_bistable_agent_has_another_solution_that_repels():
    """Newton from V = 0 finds it: its radius is above one, and the planner must not return it."""
    theta, task = _agent("bistable_n10"), Task()
    model = agent_model(theta, task)
    found = backup(model.problem, np.zeros((3, 10, 10)))
    for _ in range(60):
        found = backup(model.problem, found.value + planning._newton_step(model.problem, found))
    assert found.residual < 1e-9, "Newton from zero settled"
    wrong = Plan(found.value, found.q_value, found.log_policy, True, 0.0, 0.0, 0)
    assert jacobian.spectral_radius(model.problem, wrong) == pytest.approx(1.061, abs=2e-3)
    assert np.abs(found.value - model.plan.value).max() > 0.1
    # With the constant mode the right one's radius is the discount; without, it is well below.
    assert model.planner_radius() < 0.9
    assert model.plan.growth < 0.9


def test_no_repelling_solution_is_returned_at_the_edge_of_a_basin():
    """Between two basins value iteration runs into the saddle, to within rounding of gamma_1."""
    theta, task = _agent("bistable_n10"), Task()

    def solved(factor):
        beside = theta.copy()
        beside[0] *= factor
        return agent_model(beside, task)

    low, high = 0.970, 0.972
    corner = solved(low).plan.value[0, 0, 0]
    assert abs(solved(high).plan.value[0, 0, 0] - corner) > 0.1, "two basins"
    for _ in range(45):
        middle = 0.5 * (low + high)
        if abs(solved(middle).plan.value[0, 0, 0] - corner) < 0.1:
            low = middle
        else:
            high = middle
    for factor in (low, high):
        model = solved(factor)
        assert model.planner_radius() < 1 or not model.plan.converged


@pytest.mark.parametrize("task", [Task(n_bins=4, n_cues=3), Task()], ids=str)
def test_newton_branch_is_used_and_solves(monkeypatch, task):
    """Value iteration shrinks by 0.95 or 0.98 per step here: the linear solver must take part."""
    solved = []
    original = jacobian.solve

    def counted(problem, weights, right_side, transposed=False, direct=False):
        solution = original(problem, weights, right_side, transposed, direct)
        applied = jacobian.jacobian_operator(problem, weights, transposed)(solution.ravel())
        left_over = np.abs(solution.ravel() - applied - right_side.ravel()).max()
        # GMRES is asked for 1e-9 of the right side, and a second pass refines that.
        assert left_over <= 1e-12 * max(1.0, np.abs(solution).max())
        solved.append(transposed)
        return solution

    monkeypatch.setattr(planning, "solve", counted)
    monkeypatch.setattr(gradient, "solve", counted)
    model = agent_model(SLOW_AGENT, task)
    assert model.plan.converged
    assert model.plan.residual < 1e-11
    assert model.plan.growth == pytest.approx(model.planner_radius(), abs=1e-3)
    by_theta = model.policy_gradient(np.ones((3, 5, task.n_bins, task.n_bins)))
    assert np.isfinite(by_theta).all()
    assert set(solved) == {False, True}

    value = iterate(model.problem, np.zeros_like(model.plan.value), 0.0, 6000).value
    np.testing.assert_allclose(model.plan.value, value, rtol=0, atol=1e-9)


@pytest.mark.parametrize("temperature", [0.01, 0.02, 0.03])
@pytest.mark.parametrize("grooming_reward", [1.0, 2.0])
def test_agents_that_settle_at_once_are_solved(grooming_reward, temperature, paper_agent):
    """One that never leaves the middle: value iteration is at rounding after four steps."""
    theta = paper_agent.copy()
    theta[REWARDS_AND_COSTS.start], theta[TEMPERATURE] = grooming_reward, temperature
    for task in (Task(), Task(n_bins=4, n_cues=3)):
        model = agent_model(theta, task)
        assert model.plan.residual < 1e-11
        assert model.planner_radius() < 1
        assert model.plan.converged


def test_agents_to_whom_nothing_is_worth_a_step_are_solved(paper_agent):
    """Value iteration does not move at all, so that there is no growth to measure."""
    theta = paper_agent.copy()
    theta[REWARDS_AND_COSTS] = 0.0, 20.0, 20.0
    theta[TEMPERATURE] = 0.01
    model = agent_model(theta, Task(n_bins=4, n_cues=3))
    assert model.plan.converged
    assert model.planner_radius() < 1


def test_dense_algebra_takes_over_where_krylov_fails(monkeypatch):
    task = Task(n_bins=4, n_cues=3)
    counts = np.random.default_rng(0).random((3, 5, 4, 4))
    model = agent_model(SLOW_AGENT, task)
    by_theta = model.policy_gradient(counts)
    monkeypatch.setattr(jacobian, "_SLOW", np.inf)
    monkeypatch.setattr(
        "scipy.sparse.linalg.gmres", lambda _, b, **__: (np.full_like(b, np.nan), 1)
    )
    again = agent_model(SLOW_AGENT, task)
    np.testing.assert_allclose(again.plan.value, model.plan.value, rtol=0, atol=1e-9)
    np.testing.assert_allclose(again.policy_gradient(counts), by_theta, rtol=1e-8)


def test_small_slow_systems_are_eliminated_to_what_krylov_gives(monkeypatch):
    task = Task(n_bins=4, n_cues=3)
    counts = np.random.default_rng(0).random((3, 5, 4, 4))
    model = agent_model(SLOW_AGENT, task)
    assert jacobian.is_slow(model.problem, model.plan.growth)
    by_theta = model.policy_gradient(counts)
    monkeypatch.setattr(jacobian, "_SLOW", np.inf)
    again = agent_model(SLOW_AGENT, task)
    np.testing.assert_allclose(again.plan.value, model.plan.value, rtol=0, atol=1e-9)
    np.testing.assert_allclose(again.policy_gradient(counts), by_theta, rtol=1e-8)


def test_the_matrix_is_the_operator():
    for task in (Task(n_bins=4, n_cues=3), Task(n_bins=4, n_cues=3, travel="direct")):
        problem = agent_model(SLOW_AGENT, task).problem
        n_outcomes = problem.moves.outcome.shape[1]
        weights = np.random.default_rng(1).normal(size=(3, n_outcomes, 4, 4))
        vector, matrix = np.arange(48.0), jacobian.jacobian_matrix(problem, weights)
        forward = jacobian.jacobian_operator(problem, weights)(vector)
        back = jacobian.jacobian_operator(problem, weights, transposed=True)(vector)
        np.testing.assert_allclose(matrix @ vector, forward, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(matrix.T @ vector, back, rtol=1e-11, atol=1e-11)


def test_unsolved_planner_says_so(monkeypatch, paper_agent):
    monkeypatch.setattr(planning, "_MAX_ITERATIONS", 3)
    monkeypatch.setattr(planning, "_POLISH_ITERATIONS", 1)
    # A linear solver that goes nowhere.
    monkeypatch.setattr(planning, "solve", lambda problem, weights, b, *_: np.zeros_like(b))
    plan = agent_model(paper_agent, Task()).plan
    assert not plan.converged
    assert plan.residual > 1e-6


@pytest.mark.parametrize("task", [*TASKS[:3], *OTHER_TASKS], ids=str)
def test_jacobian_radius_and_adjoint_against_dense_algebra(task, random_agent):
    theta = random_agent(11)
    model = agent_model(theta, task)
    n = task.n_bins
    by_theta, bellman_jacobian = dense.policy_jacobian(theta, task, model.plan.value.ravel())
    eigenvalues = np.linalg.eigvals(bellman_jacobian)
    constant = np.argmin(np.abs(eigenvalues - task.discount))
    assert abs(eigenvalues[constant] - task.discount) < 1e-10, "the constant mode is there"
    radius = np.abs(np.delete(eigenvalues, constant)).max()
    assert model.planner_radius() == pytest.approx(radius, rel=1e-6)

    counts = np.random.default_rng(2).random((3, 5, n, n)) * task.available[:, :, None, None]
    expected = np.einsum("sa,sak->k", _stacked(counts, n), by_theta)
    found = model.policy_gradient(counts)
    # The oracle's tables are differentiated numerically, step 1e-5: about 1e-8 relative.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_warm_starts_do_not_exist(paper_agent):
    """The same agent gives the same plan to the last bit, whatever was solved before."""
    first = agent_model(paper_agent, Task(n_bins=5)).plan
    agent_model(paper_agent * 0.9, Task(n_bins=5))
    again = agent_model(paper_agent, Task(n_bins=5)).plan
    np.testing.assert_array_equal(first.value, again.value)
    np.testing.assert_array_equal(first.log_policy, again.log_policy)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("n_bins", 1, "task.n_bins: found 1"),
        ("n_cues", 0, "task.n_cues: found 0"),
        ("diffusion", 0.0, "task.diffusion: found 0.0"),
        ("diffusion", -1.0, "task.diffusion: found -1.0"),
        ("discount", 1.0, "task.discount: found 1.0"),
        ("discount", 0.0, "task.discount: found 0.0"),
        ("discount", "0.9", "task.discount: found '0.9', allowed: a number"),
        ("discount", None, "task.discount: found None, allowed: a number"),
        ("cue_share", True, "task.cue_share: found True, allowed: a number"),
        ("diffusion", "half a bin", "task.diffusion: found 'half a bin', allowed: a number"),
        ("step_width", "a second", "task.step_width: found 'a second', allowed: a number"),
        ("horizon", [50], r"task.horizon: found \[50\], allowed: a number"),
        ("grooming", "often", "task.grooming: found 'often'"),
        ("travel", "teleport", "task.travel: found 'teleport', allowed: through_middle, direct or"),
        ("travel", {"box 3": {}}, "task.travel: found 'box 3', allowed: middle, box 1, box 2"),
        ("travel", {"box 1": "direct"}, "task.travel.box 1: found 'direct'"),
        ("travel", {"box 1": {"box 2": "door"}}, "task.travel.box 1.box 2: found 'door'"),
        ("travel", {"box 1": {"box 2": ["box 2"]}}, "task.travel.box 1.box 2: found .*a place, or"),
        ("travel", {1: {"box 2": "box 2"}}, "task.travel: found 1, allowed: middle"),
        (
            "travel",
            {"box 1": {"box 2": {"middle": 0.3}}},
            "task.travel.box 1.box 2: found probabilities of sum 0.3",
        ),
        (
            "travel",
            {"box 1": {"box 2": {"middle": 1.5}}},
            "task.travel.box 1.box 2.middle: found 1.5",
        ),
        ("available_actions", ["push"], "task.available_actions: found"),
        ("available_actions", {"box 1": "push"}, "task.available_actions.box 1: found 'push'"),
        ("available_actions", {"box 1": []}, "task.available_actions.box 1: found no action"),
        ("available_actions", {"box 1": ["hop"]}, "task.available_actions.box 1: found 'hop'"),
        ("cue_share", 0.0, "task.cue_share: found 0.0"),
        ("step_width", 0.0, "task.step_width: found 0.0"),
        ("horizon", 10.0, "task.horizon: found 10.0 without task.step_width"),
    ],
)
def test_task_rejects_values_outside_their_range(option, value, words):
    with pytest.raises(ValueError, match=words) as caught:
        Task(**{option: value})
    assert "allowed" in str(caught.value)
    assert "\n" not in str(caught.value)
