"""Exact Bayes filter of one box for a believer in given parameters, no bins, no diffusion."""

import numpy as np

from inverse_rational_control.agent.plain import updated_belief


def exact_beliefs(start, cues, opened, gamma, eps, q_present, q_absent, n_cues):
    """Belief at every step; `opened[t]` says that this box was emptied by the action at t."""
    beliefs = [start]
    for t in range(1, len(cues)):
        before = 0.0 if opened[t - 1] else beliefs[-1]
        beliefs.append(updated_belief(before, cues[t], gamma, eps, q_present, q_absent, n_cues))
    return np.array(beliefs)
