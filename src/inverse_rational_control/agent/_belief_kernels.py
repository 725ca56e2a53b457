"""Compiled belief kernels and their Jacobians; private, no input checks.

`plain.box_tables` are the same kernels to read.
"""

from __future__ import annotations

import math

import numpy as np

from inverse_rational_control.compiled import compiled

_SQRT_HALF = math.sqrt(0.5)
_SQRT_TWO_PI = math.sqrt(2.0 * math.pi)


@compiled()
def truncated_normal_bins(mean, mean_gradient, edges, sigma, weight, mass, mass_jacobian):
    """Add `weight` times the bin masses of a normal truncated to [0, 1], and their derivatives.

    mean: scalar; mean_gradient: [parameter]; edges: [N + 1]; mass: [N];
    mass_jacobian: [parameter, N], one row more where the derivative by sigma is wanted, none where no
    derivatives are. Each edge gives the smaller of its two tails. Masses right of the mean are
    differences of upper tails: the literal difference of lower tails is rounding noise there.
    """
    n = edges.size - 1
    with_any = mass_jacobian.shape[0] > 0
    with_sigma = mass_jacobian.shape[0] > mean_gradient.size
    z_left = -mean / sigma
    tail_left = 0.5 * math.erfc(-z_left * _SQRT_HALF)
    density_left = math.exp(-0.5 * z_left * z_left) / _SQRT_TWO_PI
    z_last = (1.0 - mean) / sigma
    total = 1.0 - tail_left - 0.5 * math.erfc(z_last * _SQRT_HALF)
    density_last = math.exp(-0.5 * z_last * z_last) / _SQRT_TWO_PI
    total_by_mean = -(density_last - density_left) / sigma
    total_by_sigma = -(density_last * z_last - density_left * z_left) / sigma
    for j in range(n):
        z_right = (edges[j + 1] - mean) / sigma
        tail_right = 0.5 * math.erfc(abs(z_right) * _SQRT_HALF)
        if z_left > 0.0:
            inside = tail_left - tail_right
        elif z_right > 0.0:
            inside = (1.0 - tail_right) - tail_left
        else:
            inside = tail_right - tail_left
        share = inside / total
        mass[j] += weight * share
        if with_any:
            density_right = math.exp(-0.5 * z_right * z_right) / _SQRT_TWO_PI
            by_mean = (-(density_right - density_left) / sigma - share * total_by_mean) / total
            for k in range(mean_gradient.size):
                mass_jacobian[k, j] += weight * by_mean * mean_gradient[k]
            if with_sigma:
                by_sigma = -(density_right * z_right - density_left * z_left) / sigma
                by_sigma = (by_sigma - share * total_by_sigma) / total
                mass_jacobian[mean_gradient.size, j] += weight * by_sigma
            density_left = density_right
        z_left = z_right
        tail_left = tail_right


@compiled()
def belief_kernel(
    rates, log_ratio, log_ratio_jacobian, beliefs, weights, edges, sigma, n_derivatives
):
    """Average the belief step's bin masses over nodes inside each source bin.

    rates: (appearance, disappearance); log_ratio: [cue], log P(c|present)/P(c|absent);
    log_ratio_jacobian: [2, cue], by the two cue probabilities; beliefs: [source, node];
    weights: [node]. Returns kernel [cue, source, N] and its Jacobian [n_derivatives, cue, source, N],
    by the box's four parameters and, as a fifth, by sigma; 0, 4 or 5 of them.
    """
    appearance, disappearance = rates
    n_cues = log_ratio.size
    n_sources, n_nodes = beliefs.shape
    n = edges.size - 1
    kernel = np.zeros((n_cues, n_sources, n))
    kernel_jacobian = np.zeros((n_cues, n_sources, n_derivatives, n))
    mean_gradient = np.empty(4)
    for c in range(n_cues):
        for i in range(n_sources):
            for node in range(n_nodes):
                b = beliefs[i, node]
                present = appearance * (1.0 - b) + (1.0 - disappearance) * b
                absent = (1.0 - appearance) * (1.0 - b) + disappearance * b
                odds = present / absent * math.exp(log_ratio[c])
                mean = odds / (1.0 + odds) if odds < 1e300 else 1.0
                by_log_odds = mean * (1.0 - mean) if odds < 1e15 else 1.0 / odds
                mean_gradient[0] = by_log_odds * (1.0 - b) / (present * absent)
                mean_gradient[1] = -by_log_odds * b / (present * absent)
                mean_gradient[2] = by_log_odds * log_ratio_jacobian[0, c]
                mean_gradient[3] = by_log_odds * log_ratio_jacobian[1, c]
                truncated_normal_bins(
                    mean,
                    mean_gradient,
                    edges,
                    sigma,
                    weights[node],
                    kernel[c, i],
                    kernel_jacobian[c, i],
                )
    return kernel, np.ascontiguousarray(kernel_jacobian.transpose(2, 0, 1, 3))
