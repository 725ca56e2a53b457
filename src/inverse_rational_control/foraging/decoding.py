"""Decode the agent's beliefs from its behavior, and judge the decoding against the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.beliefs import bin_centers, box_beliefs
from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.chain.forward_backward import (
    ChainInputs,
    ChainTables,
    expected_counts,
    most_probable_path,
)
from inverse_rational_control.foraging.likelihood import belief_chain, chain_inputs, chain_tables
from inverse_rational_control.parameters import BOX_PARAMETERS
from inverse_rational_control.record import Record
from inverse_rational_control.statistics import (
    belief_accuracy,
    block_standard_error,
    reliability,
)
from inverse_rational_control.task import N_ACTIONS, N_LOCATIONS, Task

__all__ = [
    "N_LEVELS",
    "Decoding",
    "DecodingScore",
    "credible_hits",
    "credible_sets",
    "decode",
    "decode_from_cues",
    "log_scores",
    "score_decoding",
    "smoothed",
]

N_LEVELS = 10
_CREDIBLE_MASS = 0.9
_BLOCK_STEPS = 100  # beliefs remember some ten steps


@dataclass(frozen=True)
class Decoding:
    """Posterior over the agent's two beliefs at every step.

    Attributes
    ----------
    posterior : ndarray, shape (T, N, N)
        P(bins at t | whole record), [step, bin 1, bin 2].
    path : ndarray of int, shape (T, 2)
        Most probable joint path (Viterbi), [step, box].
    log_likelihood : float
        Of the record, nats.
    """

    posterior: np.ndarray
    path: np.ndarray
    log_likelihood: float

    @property
    def centers(self) -> np.ndarray:
        """Centers of the belief bins, shape (N,)."""
        return bin_centers(self.posterior.shape[1])

    @property
    def marginals(self) -> np.ndarray:
        """Posterior of each box's belief, shape (2, T, N), [box, step, bin]."""
        return np.stack([self.posterior.sum(2), self.posterior.sum(1)])

    @property
    def means(self) -> np.ndarray:
        """Posterior mean belief of each box, shape (T, 2), [step, box]."""
        return np.stack([marginal @ self.centers for marginal in self.marginals], 1)


@dataclass(frozen=True)
class DecodingScore:
    """Decoding against the true beliefs; leading dimension is the box.

    Attributes
    ----------
    posterior_given_true : ndarray, shape (2, N, N)
        Posterior averaged over the steps with a given true bin, [box, true bin, bin]; NaN if none.
    true_bin_steps : ndarray of int, shape (2, N)
    correlation, rmse, path_correlation : ndarray, shape (2,)
        Posterior mean (or most probable path) against the true bin's center.
    calibration_predicted, calibration_observed : ndarray, shape (2, levels)
        Mean posterior probability per level, and how often such bins were the true one.
    calibration_count : ndarray of int, shape (2, levels)
    credible_coverage, credible_expected : ndarray, shape (2,)
        How often the 90 % credible set holds the true bin, and the mean mass of those sets.
    credible_error : ndarray, shape (2,)
        Standard error of the difference of these two over the record's steps, from blocks of steps.
    log_score : ndarray, shape (2,)
        Mean log posterior probability of the true bin, nats per step; -inf if one was ruled out.
    """

    posterior_given_true: np.ndarray
    true_bin_steps: np.ndarray
    correlation: np.ndarray
    rmse: np.ndarray
    path_correlation: np.ndarray
    calibration_predicted: np.ndarray
    calibration_observed: np.ndarray
    calibration_count: np.ndarray
    credible_coverage: np.ndarray
    credible_expected: np.ndarray
    credible_error: np.ndarray
    log_score: np.ndarray


def decode(theta: np.ndarray, record: Record, task: Task, extras: tuple[str, ...] = ()) -> Decoding:
    """Smoothed posterior and most probable path of the beliefs under parameters `theta`.

    Parameters
    ----------
    theta : ndarray, shape (10 + extras,)
        Natural coordinates, in the order of `parameters.agent_parameters`.
    record : Record
    task : Task
    extras : tuple of str
        The agent's extra parameters, in their order.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If the planner was not solved or the record is impossible under `theta`.
    """
    record.check(task)
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    model = _solved(theta, task, extras)
    return _decoded(chain_tables(model, inputs.n_kernels), inputs, task)


def decode_from_cues(world: np.ndarray, record: Record, task: Task) -> Decoding:
    """Beliefs of an observer who follows cues and pushes, knows the world, and learns from no action.

    The decoder that knows nothing of the agent: the belief steps of docs/model.md section 3 with the
    world's parameters, every action as probable in one belief as in another. What is left is a filter:
    later steps say nothing of earlier beliefs.

    Parameters
    ----------
    world : ndarray, shape (6,)
        Natural coordinates, in the order of `parameters.WORLD_PARAMETERS`.
    record : Record
    task : Task

    Raises
    ------
    RecordError
        If the record does not fit the task.
    """
    record.check(task)
    boxes = tuple(box_beliefs(*world[list(places)], task) for places in BOX_PARAMETERS)
    shape = (N_LOCATIONS * N_ACTIONS, task.n_bins, task.n_bins)
    inputs = chain_inputs(record, n_cues=task.n_cues)
    tables = belief_chain(np.full(shape, -np.log(N_ACTIONS)), boxes, inputs.n_kernels)
    return _decoded(tables, inputs, task)


def _solved(theta: np.ndarray, task: Task, extras: tuple[str, ...]) -> AgentModel:
    model = agent_model(theta, task, extras)
    if not model.plan.converged:
        raise ValueError("the planner found no solution at these parameters: nothing to decode")
    return model


def smoothed(
    draws: np.ndarray, record: Record, task: Task, extras: tuple[str, ...] = ()
) -> Iterator[tuple[AgentModel, np.ndarray]]:
    """Model of each draw in turn, and its smoothed posterior over beliefs, (T, N, N).

    The posterior is one array, written anew for each.
    """
    inputs = chain_inputs(record, extras, n_cues=task.n_cues)
    posterior = _room(inputs, task)
    for theta in draws:
        model = _solved(theta, task, extras)
        _smooth(chain_tables(model, inputs.n_kernels), inputs, posterior)
        yield model, posterior


def _room(inputs: ChainInputs, task: Task) -> np.ndarray:
    return np.empty((inputs.n_steps, task.n_bins, task.n_bins))


def _smooth(tables: ChainTables, inputs: ChainInputs, posterior: np.ndarray) -> float:
    """Fill in the smoothed posterior; returns the log-likelihood."""
    counts = expected_counts(tables, inputs, posterior)
    if not counts.usable:
        raise ValueError("the record is impossible under these parameters: nothing to decode")
    return counts.log_likelihood


def _decoded(tables: ChainTables, inputs: ChainInputs, task: Task) -> Decoding:
    posterior = _room(inputs, task)
    log_likelihood = _smooth(tables, inputs, posterior)
    path_1, path_2, _ = most_probable_path(tables, inputs)
    return Decoding(posterior, np.stack([path_1, path_2], 1), log_likelihood)


def _ranked(marginal: np.ndarray, mass: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bins by falling probability, these probabilities, and which of them the credible set holds."""
    order = np.argsort(-marginal, axis=1, kind="stable")
    ranked = np.take_along_axis(marginal, order, 1)
    return order, ranked, np.cumsum(ranked, 1) - ranked < mass


def credible_sets(marginal: np.ndarray) -> np.ndarray:
    """Whether the 90 % credible set of each step holds each bin, bool (T, N)."""
    order, _, inside = _ranked(marginal, _CREDIBLE_MASS)
    sets = np.empty_like(inside)
    np.put_along_axis(sets, order, inside, 1)
    return sets


def credible_hits(
    marginal: np.ndarray, true_bin: np.ndarray, mass: float = _CREDIBLE_MASS
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each step's credible set holds the true bin, and the probability of that set.

    The set is of the most probable bins, as few as hold `mass`; bins are coarse, so it holds more.

    Parameters
    ----------
    marginal : ndarray, shape (T, N)
        Rows sum to one.
    true_bin : ndarray of int, shape (T,)
    mass : float

    Returns
    -------
    hit : ndarray of bool, shape (T,)
    held : ndarray, shape (T,)
    """
    order, ranked, inside = _ranked(marginal, mass)
    return (inside & (order == true_bin[:, None])).any(1), (ranked * inside).sum(1)


def log_scores(decoding: Decoding, true_bin: np.ndarray) -> np.ndarray:
    """Log posterior probability of the true bin of each box at every step, nats.

    Parameters
    ----------
    decoding : Decoding
    true_bin : ndarray of int, shape (T, 2)
        [step, box].

    Returns
    -------
    ndarray, shape (2, T)
        [box, step].
    """
    steps = np.arange(len(true_bin))
    with np.errstate(divide="ignore"):
        return np.log(
            [
                marginal[steps, true]
                for marginal, true in zip(decoding.marginals, true_bin.T, strict=True)
            ]
        )


def score_decoding(decoding: Decoding, true_bin: np.ndarray) -> DecodingScore:
    """Compare a decoding with the true belief bins, shape (T, 2), [step, box]."""
    n, centers = decoding.posterior.shape[1], decoding.centers
    correlation, rmse = belief_accuracy(decoding.means, centers[true_bin])
    path_correlation, _ = belief_accuracy(centers[decoding.path], centers[true_bin])
    fields: dict[str, list] = {name: [] for name in DecodingScore.__dataclass_fields__}
    for marginal, true in zip(decoding.marginals, true_bin.T, strict=True):
        steps = np.bincount(true, minlength=n)
        sums = np.zeros((n, n))
        np.add.at(sums, true, marginal)
        with np.errstate(invalid="ignore", divide="ignore"):
            fields["posterior_given_true"].append(sums / steps[:, None])
        fields["true_bin_steps"].append(steps)
        diagram = reliability(marginal, true, N_LEVELS)
        for name in ("predicted", "observed", "count"):
            fields[f"calibration_{name}"].append(getattr(diagram, name))
        hit, mass = credible_hits(marginal, true)
        fields["credible_coverage"].append(hit.mean())
        fields["credible_expected"].append(mass.mean())
        fields["credible_error"].append(block_standard_error(hit - mass, _BLOCK_STEPS))
    fields |= {
        "correlation": correlation,
        "rmse": rmse,
        "path_correlation": path_correlation,
        "log_score": log_scores(decoding, true_bin).mean(1),
    }
    return DecodingScore(**{name: np.array(values) for name, values in fields.items()})
