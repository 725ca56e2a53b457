"""The Bellman equation with explicit state-by-state matrices (docs/model.md sections 4 and 5).

States are (location, food in hand, bin 1, bin 2) or, lumped, (location, bin 1, bin 2).
"""

import itertools

import numpy as np

from inverse_rational_control.agent.plain import (
    averaged,
    box_tables,
    planner_tables,
    prediction_tables,
)
from inverse_rational_control.parameters import (
    BOX_PARAMETERS,
    N_PARAMETERS,
    REWARDS_AND_COSTS,
    TEMPERATURE,
)

STAY, GO_MIDDLE, GO_1, GO_2, PUSH = range(5)


def agent_tables(theta, task):
    """Belief tables of both boxes of an agent, from the plain loops."""
    return [box_tables(theta[list(places)], task) for places in BOX_PARAMETERS]


def agent_planner_tables(theta, task):
    """What its planner takes of them."""
    return [planner_tables(theta[list(places)], task) for places in BOX_PARAMETERS]


def agent_steps(theta, task):
    """Belief steps of both boxes, kernel and reset row: each color's, of no cue, of one not recorded."""
    steps = []
    for places in BOX_PARAMETERS:
        tables = box_tables(theta[list(places)], task)
        more = zip(prediction_tables(theta[list(places)], task), averaged(*tables), strict=True)
        pairs = zip(tables[:2], more, strict=True)
        steps.append([np.concatenate([table, np.stack(without)]) for table, without in pairs])
    return steps


def arrival(location, action, task):
    """Probability of each next location."""
    probability = np.zeros(3)
    target = {GO_MIDDLE: 0, GO_1: 1, GO_2: 2}.get(action, location)
    if action in (STAY, PUSH) or task.travel == "through_middle":
        probability[destination(location, action)] = 1.0
    elif task.travel == "direct":
        probability[target] = 1.0
    else:
        names = ("middle", "box 1", "box 2")
        row = task.travel.get(names[location], {}).get(names[target])
        if row is None:
            probability[destination(location, action)] = 1.0
        else:
            probability[:] = [row.get(name, 0.0) for name in names]
    return probability


def destination(location, action):
    """Next location in the paper: boxes are two steps apart."""
    if action in (STAY, PUSH):
        return location
    target = {GO_MIDDLE: 0, GO_1: 1, GO_2: 2}[action]
    return target if 0 in (location, target) or location == target else 0


def is_available(location, action, task):
    """Whether the task lets the agent do this."""
    names = ("stay", "go to middle", "go to box 1", "go to box 2", "push")
    listed = task.available_actions or {}
    if names[action] not in listed.get(("middle", "box 1", "box 2")[location], names):
        return False
    if not task.restricted_actions:
        return True
    if action == PUSH:
        return location != 0
    return action == STAY or {GO_MIDDLE: 0, GO_1: 1, GO_2: 2}[action] != location


def expected_reward(location, bin_1, bin_2, action, theta, task):
    """What the agent expects to earn within the step."""
    grooming, travel, push = theta[REWARDS_AND_COSTS]
    reward = 0.0
    if action == PUSH:
        reward -= push
        if location > 0:
            reward += ((bin_1, bin_2)[location - 1] + 0.5) / task.n_bins
    elif action in (GO_MIDDLE, GO_1, GO_2):
        reward -= travel
    if task.grooming == "waiting":
        reward += grooming if (location, action) == (0, STAY) else 0.0
    else:
        reward += grooming * arrival(location, action, task)[0]
    return reward


def lumped(theta, task):
    """Rewards [state, action] and transitions [action, state, state'], states (l, i1, i2)."""
    n = task.n_bins
    (move_1, reset_1), (move_2, reset_2) = agent_planner_tables(theta, task)
    states = list(itertools.product(range(3), range(n), range(n)))
    reward = np.zeros((len(states), 5))
    transition = np.zeros((5, len(states), len(states)))
    for s, (location, i1, i2) in enumerate(states):
        for action in range(5):
            reward[s, action] = expected_reward(location, i1, i2, action, theta, task)
            row_1 = reset_1 if (action, location) == (PUSH, 1) else move_1[i1]
            row_2 = reset_2 if (action, location) == (PUSH, 2) else move_2[i2]
            for to, chance in enumerate(arrival(location, action, task)):
                into = slice(to * n * n, (to + 1) * n * n)
                transition[action, s, into] = chance * np.outer(row_1, row_2).ravel()
    return reward, transition


def unlumped(theta, task):
    """The same with the food-in-hand flag, states (l, flag, i1, i2).

    The flag becomes 1 when a push finds food, which the agent expects with probability center(bin);
    food is eaten within the step, so the flag changes nothing that follows.
    """
    n = task.n_bins
    (move_1, reset_1), (move_2, reset_2) = agent_planner_tables(theta, task)
    states = list(itertools.product(range(3), range(2), range(n), range(n)))
    reward = np.zeros((len(states), 5))
    transition = np.zeros((5, len(states), len(states)))
    for s, (location, _, i1, i2) in enumerate(states):
        for action in range(5):
            reward[s, action] = expected_reward(location, i1, i2, action, theta, task)
            opens = location if action == PUSH else 0
            food = ((i1, i2)[opens - 1] + 0.5) / n if opens else 0.0
            row_1 = reset_1 if opens == 1 else move_1[i1]
            row_2 = reset_2 if opens == 2 else move_2[i2]
            joint = np.outer(row_1, row_2).ravel()
            for flag, chance in ((0, 1 - food), (1, food)):
                to = (destination(location, action) * 2 + flag) * n * n
                transition[action, s, to : to + n * n] = chance * joint
    return reward, transition


def allowed(n_per_location, task):
    """Availability [state, action], states ordered by location."""
    return np.array(
        [
            [is_available(location, action, task) for action in range(5)]
            for location in range(3)
            for _ in range(n_per_location)
        ]
    )


def softmax_backup(value, reward, transition, usable, discount, temperature):
    """One backup of the average-form softmax equation; returns (Q, policy, new V)."""
    q = reward + discount * np.einsum("ast,t->sa", transition, value)
    shifted = np.where(usable, (q - np.where(usable, q, -np.inf).max(1)[:, None]), -np.inf)
    policy = np.exp(shifted / temperature)
    policy /= policy.sum(1)[:, None]
    return q, policy, (policy * np.where(usable, q, 0.0)).sum(1)


def iterate_softmax(reward, transition, usable, discount, temperature, tolerance=1e-11):
    """Value iteration from V = 0 and nothing else, until V itself stops moving."""
    value = np.zeros(len(reward))
    for _ in range(200_000):
        q, policy, new = softmax_backup(value, reward, transition, usable, discount, temperature)
        moved = np.abs(new - value).max()
        value = new
        if moved < tolerance * (1 - discount):
            return value, q, policy
    raise AssertionError("plain value iteration did not settle")


def iterate_maximum(reward, transition, usable, discount, tolerance=1e-11):
    """Value iteration with max."""
    value = np.zeros(len(reward))
    while True:
        q = reward + discount * np.einsum("ast,t->sa", transition, value)
        new = np.where(usable, q, -np.inf).max(1)
        moved = np.abs(new - value).max()
        value = new
        if moved < tolerance * (1 - discount):
            return value


def policy_jacobian(theta, task, value):
    """D log pi [state, action, parameter] by one dense linear solve per parameter (section 7).

    Derivatives of rewards and transitions are central differences of the dense tables themselves.
    """
    temperature, discount = theta[TEMPERATURE], task.discount
    reward, transition = lumped(theta, task)
    usable = allowed(task.n_bins**2, task)
    q, policy, backed = softmax_backup(value, reward, transition, usable, discount, temperature)
    weights = policy * (1 + (q - backed[:, None]) / temperature)
    jacobian = discount * np.einsum("sa,ast->st", weights, transition)
    variance = (policy * (q - backed[:, None]) ** 2).sum(1)
    system = np.eye(len(value)) - jacobian
    policy_jacobian = np.zeros((len(value), 5, N_PARAMETERS))
    for k in range(N_PARAMETERS):
        step = np.zeros(N_PARAMETERS)
        step[k] = 1e-5
        up, down = lumped(theta + step, task), lumped(theta - step, task)
        by_tau = 1.0 if k == TEMPERATURE else 0.0
        direct = (up[0] - down[0]) / 2e-5
        direct += discount * np.einsum("ast,t->sa", (up[1] - down[1]) / 2e-5, value)
        right = (weights * direct).sum(1) - variance / temperature**2 * by_tau
        by_value = np.linalg.solve(system, right)
        by_q = direct + discount * np.einsum("ast,t->sa", transition, by_value)
        centered = by_q - (policy * by_q).sum(1)[:, None]
        policy_jacobian[:, :, k] = (
            centered / temperature - (q - backed[:, None]) / temperature**2 * by_tau
        )
    return policy_jacobian, jacobian
