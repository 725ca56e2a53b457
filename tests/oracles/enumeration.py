"""Everything about the latent chain by listing every path (docs/model.md section 6)."""

import itertools
from dataclasses import dataclass

import numpy as np

PUSH = 4


@dataclass
class Enumerated:
    """Sums over all latent paths of one session."""

    likelihood: float
    posterior: np.ndarray  # [step, bin 1, bin 2]
    policy_counts: np.ndarray  # [location, action, bin 1, bin 2], or with layers in front
    kernel_counts: list  # per box [cue, from, to]
    reset_counts: list  # per box [cue, to]
    best_path: np.ndarray  # [step, box]
    best_probability: float


def session_by_enumeration(location, action, cues, policy, kernels, resets):
    """List all N^(2T) paths of one session.

    cues: [step, box]; policy: [location, action, bin 1, bin 2], or one such layer for each action before
    and a last one for none; kernels: per box [cue, from, to]; resets: per box [cue, to].
    """
    n = policy.shape[-1]
    n_steps = len(location)
    result = Enumerated(
        0.0,
        np.zeros((n_steps, n, n)),
        np.zeros_like(policy),
        [np.zeros_like(kernel) for kernel in kernels],
        [np.zeros_like(reset) for reset in resets],
        np.zeros((n_steps, 2), dtype=int),
        -1.0,
    )
    taken = [
        (location[t], action[t])
        if policy.ndim == 4
        else (action[t - 1] if t else -1, location[t], action[t])
        for t in range(n_steps)
    ]
    pairs = list(itertools.product(range(n), repeat=2))
    for path in itertools.product(pairs, repeat=n_steps):
        probability = 1.0 / n**2
        for t in range(n_steps):
            probability *= policy[(*taken[t], *path[t])]
            if t + 1 < n_steps:
                for box in (0, 1):
                    cue = cues[t + 1][box]
                    if action[t] == PUSH and location[t] == box + 1:
                        probability *= resets[box][cue, path[t + 1][box]]
                    else:
                        probability *= kernels[box][cue, path[t][box], path[t + 1][box]]
        result.likelihood += probability
        if probability > result.best_probability:
            result.best_probability = probability
            result.best_path[:] = path
        for t in range(n_steps):
            result.posterior[t][path[t]] += probability
            result.policy_counts[(*taken[t], *path[t])] += probability
            if t + 1 < n_steps:
                for box in (0, 1):
                    cue = cues[t + 1][box]
                    if action[t] == PUSH and location[t] == box + 1:
                        result.reset_counts[box][cue, path[t + 1][box]] += probability
                    else:
                        pair = (path[t][box], path[t + 1][box])
                        result.kernel_counts[box][(cue, *pair)] += probability
    tables = [result.posterior, result.policy_counts, *result.kernel_counts, *result.reset_counts]
    for table in tables:
        table /= result.likelihood
    return result


def record_by_enumeration(record, policy, kernels, resets):
    """Sum the sessions of a record; returns (log-likelihood, list of `Enumerated`)."""
    cues = record.cue
    sessions = []
    for number in dict.fromkeys(record.session.tolist()):
        rows = record.session == number
        sessions.append(
            session_by_enumeration(
                record.location[rows], record.action[rows], cues[rows], policy, kernels, resets
            )
        )
    return float(sum(np.log(session.likelihood) for session in sessions)), sessions
