"""One calibrated agent: drawn from the prior, its posterior compared with what it was drawn as.

Figure 12; docs/model.md section 12.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.chain.forward_backward import expected_counts
from inverse_rational_control.foraging.likelihood import chain_tables
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.scoring import credible_hits
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.posterior import Posterior
from inverse_rational_control.studies.calibration.analysis import covers, ranks

__all__ = [
    "belief_measures",
    "calibrate",
    "compare",
    "decoded",
    "gradient_error",
    "judgment",
    "quantities",
]

_DIRECTIONS = 3
_STEP = 1e-3  # of the central differences, posterior standard deviations


def decoded(objective: ForagingObjective, theta: np.ndarray) -> tuple[float, np.ndarray]:
    """Log-likelihood of the record, and the posterior of each box's belief, shape (2, T, N).

    Parameters
    ----------
    objective : ForagingObjective
    theta : ndarray, shape (10,), natural coordinates
        At which the record is possible.
    """
    n = objective.task.n_bins
    joint = np.empty((objective.n_steps, n, n))
    tables = chain_tables(agent_model(theta, objective.task))
    found = expected_counts(tables, objective.inputs, joint)
    return found.log_likelihood, np.stack([joint.sum(2), joint.sum(1)])


def quantities(decoding: tuple[float, np.ndarray]) -> np.ndarray:
    """What is ranked besides the parameters: log-likelihood, mean decoded belief of each box, (3,)."""
    log_likelihood, marginals = decoding
    return np.append(log_likelihood, marginals.mean(1) @ bin_centers(marginals.shape[-1]))


def belief_measures(
    drawn: Sequence[tuple[float, np.ndarray]],
    at_mode: tuple[float, np.ndarray],
    true_bin: np.ndarray,
    mass: float,
) -> dict[str, float]:
    """How well credible sets of the beliefs cover, under all draws together and at the mode alone.

    Parameters
    ----------
    drawn : sequence
        What `decoded` found at draws from the posterior.
    at_mode : tuple
        The same at the posterior's mode.
    true_bin : ndarray of int, shape (T, 2)
        The agent's own bins, [step, box].
    mass : float
        Of the sets.
    """
    mixture = np.mean([marginals for _, marginals in drawn], axis=0)
    found = {}
    for name, marginals in (("", mixture), ("_at_mode", at_mode[1])):
        # Both boxes' steps in a row.
        rows = marginals.reshape(-1, marginals.shape[-1])
        hit, held = credible_hits(rows, true_bin.T.ravel(), mass)
        found |= {
            f"belief_covered{name}": float(hit.mean()),
            f"belief_mass{name}": float(held.mean()),
        }
    return found


def calibrate(
    posterior: Posterior,
    truth: np.ndarray,
    n_ranked: int,
    levels: Sequence[float],
    mass: float,
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Compare the posterior of a simulated record with its agent.

    Parameters
    ----------
    posterior : Posterior
        Its density's objective is a `ForagingObjective` whose record has the agent's belief bins.
    truth : ndarray, shape (10,)
        Natural coordinates.
    n_ranked : int
        Draws among which the truth is ranked.
    levels : sequence of float
        Of central intervals.
    mass : float
        Of the credible sets of beliefs.
    rng : numpy.random.Generator

    Returns
    -------
    dict of str to array
        Variables of kind `calibrated_agent`; without draws, only what is known without.
    """
    objective, found = posterior.density.objective, judgment(posterior) | {"truth": truth}
    if not posterior.draws.size:
        return found
    drawn = posterior.thinned(n_ranked)
    decodings = [decoded(objective, theta) for theta in drawn]
    others = (
        quantities(decoded(objective, truth)),
        np.array([quantities(decoding) for decoding in decodings]),
    )
    at_mode = decoded(objective, posterior.mode.estimate)
    beliefs = belief_measures(decodings, at_mode, objective.record.belief_bin, mass)
    return found | beliefs | compare(posterior, truth, drawn, others, levels, rng)


def judgment(posterior: Posterior) -> dict[str, object]:
    """What a posterior says of itself, by the names of kind `calibrated_agent`."""
    sizes = np.append(posterior.diagnostics.ess_bulk, posterior.diagnostics.ess_tail)
    weighed = posterior.importance
    return {
        "status": str(posterior.status),
        "sampler": posterior.sampler,
        "remarks": "; ".join(posterior.remarks),
        "k_hat": np.nan if weighed is None else weighed.k_hat,
        "ess": np.nanmin(sizes) if np.isfinite(sizes).any() else np.nan,
        "n_evaluations": posterior.n_evaluations,
    }


def compare(
    posterior: Posterior,
    truth: np.ndarray,
    drawn: np.ndarray,
    others: tuple[np.ndarray, np.ndarray] | None,
    levels: Sequence[float],
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Compare a posterior's draws with the parameters that the data were drawn with.

    Parameters
    ----------
    posterior : Posterior
        With draws.
    truth : ndarray, shape (n,)
        Natural coordinates.
    drawn : ndarray, shape (L, n)
        The draws among which the truth is ranked.
    others : tuple of ndarray, shapes (q,) and (L, q), or None
        Further quantities to rank: at the truth, and at these draws.
    levels : sequence of float
        Of central intervals.
    rng : numpy.random.Generator
        Breaks ties, and points the directions of the differences.

    Returns
    -------
    dict of str to ndarray
        rank (n + q,), covered (n, levels), z_score and contraction (n,) in unconstrained
        coordinates, gradient_error.
    """
    space, prior = posterior.density.space, posterior.density.prior
    eta = space.unconstrained(posterior.draws)
    deviation = eta.std(0, ddof=1)
    at_truth, at_draws = (
        (truth, drawn)
        if others is None
        else (
            np.append(truth, others[0]),
            np.concatenate([drawn, others[1]], axis=1),
        )
    )
    return {
        "rank": ranks(at_truth, at_draws, rng),
        "covered": covers(posterior.draws, truth, levels),
        "z_score": (eta.mean(0) - space.unconstrained(truth)) / deviation,
        "contraction": 1.0 - (deviation / prior.standard_deviation) ** 2,
        "gradient_error": gradient_error(posterior.density, drawn[0], deviation, rng),
    }


def gradient_error(
    density: LogPosterior, theta: np.ndarray, deviation: np.ndarray, rng: np.random.Generator
) -> float:
    """Gradient against central differences of the log density, along random directions.

    NUTS corrects every path by the density itself, so that a wrong gradient makes it slow and not wrong:
    ranks cannot see it.

    Parameters
    ----------
    density : LogPosterior
    theta : ndarray, shape (n,)
        Natural coordinates.
    deviation : ndarray, shape (n,)
        Posterior standard deviations, unconstrained: the scale of the directions.
    rng : numpy.random.Generator

    Returns
    -------
    float
        Norm of the error over the directions by the norm of the differences; NaN where there is no
        density.
    """
    space = density.space
    eta, found = space.unconstrained(theta), density.evaluate(theta)
    if not found.usable:
        return np.nan
    gradient = found.gradient * space.natural_jacobian(theta)
    directions = deviation * rng.standard_normal((_DIRECTIONS, eta.size))
    ends = [
        [density.log_likelihood(space.natural(eta + sign * _STEP * each)) for sign in (1.0, -1.0)]
        for each in directions
    ]
    differences = -np.diff(ends)[:, 0] / (2.0 * _STEP)
    error = directions @ gradient - differences
    return float(np.linalg.norm(error) / np.linalg.norm(differences))
