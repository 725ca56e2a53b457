"""Plain-loop belief tables of one box, straight from the formulas (docs/model.md section 3)."""

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom


def bin_mass(mean, sigma, n_bins):
    """Mass of a normal truncated to [0, 1] in each bin; upper tails where both edges lie above."""
    edges = np.arange(n_bins + 1) / n_bins
    z = (edges - mean) / sigma
    mass = np.empty(n_bins)
    for j in range(n_bins):
        if z[j] > 0:
            mass[j] = ndtr(-z[j]) - ndtr(-z[j + 1])
        else:
            mass[j] = ndtr(z[j + 1]) - ndtr(z[j])
    return mass / (ndtr((1 - mean) / sigma) - ndtr(-mean / sigma))


def updated_belief(belief, cue, gamma, eps, q_present, q_absent, n_cues):
    """Bayes step: telegraph prediction, then the cue."""
    predicted = gamma + (1 - gamma - eps) * belief
    present = binom.pmf(cue, n_cues - 1, q_present) * predicted
    absent = binom.pmf(cue, n_cues - 1, q_absent) * (1 - predicted)
    return present / (present + absent)


def box_tables(gamma, eps, q_present, q_absent, n_bins, n_cues, sigma):
    """Kernel [cue, from, to], reset row [cue, to], cue probabilities [cue, bin] and [cue]."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    kernel = np.zeros((n_cues, n_bins, n_bins))
    reset = np.zeros((n_cues, n_bins))
    seen = np.zeros((n_cues, n_bins))
    reset_seen = np.zeros(n_cues)
    world = (gamma, eps, q_present, q_absent, n_cues)
    for cue in range(n_cues):
        present = binom.pmf(cue, n_cues - 1, q_present)
        absent = binom.pmf(cue, n_cues - 1, q_absent)
        for i in range(n_bins):
            center = (i + 0.5) / n_bins
            for node, weight in zip(nodes, weights, strict=True):
                belief = center + node / (2 * n_bins)
                after = updated_belief(belief, cue, *world)
                kernel[cue, i] += weight / 2 * bin_mass(after, sigma, n_bins)
            predicted = gamma + (1 - gamma - eps) * center
            seen[cue, i] = present * predicted + absent * (1 - predicted)
        reset[cue] = bin_mass(updated_belief(0.0, cue, *world), sigma, n_bins)
        reset_seen[cue] = present * gamma + absent * (1 - gamma)
    return kernel, reset, seen, reset_seen


def averaged(tables):
    """Planner's transition [from, to] and reset row [to]: the cue summed out."""
    kernel, reset, seen, reset_seen = tables
    n_cues, n_bins = seen.shape
    transition = np.zeros((n_bins, n_bins))
    row = np.zeros(n_bins)
    for cue in range(n_cues):
        for i in range(n_bins):
            transition[i] += seen[cue, i] * kernel[cue, i]
        row += reset_seen[cue] * reset[cue]
    return transition, row


def agent_tables(theta, task):
    """Tables of both boxes of an agent."""
    return [
        box_tables(theta[k], theta[2 + k], theta[4], theta[5], task.n_bins, task.n_cues, task.sigma)
        for k in (0, 1)
    ]
