"""Log-likelihood of behavior and its exact gradient by all parameters.

Source: docs/model.md sections 6 and 7. Only what the agent makes enters: its policy and its belief
steps. The world's cues, rewards and moves do not (the paper's factorization of Q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.beliefs import BoxBeliefs
from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.chain.forward_backward import (
    ChainInputs,
    ChainTables,
    ExpectedCounts,
    chain_log_likelihood,
    expected_counts,
)
from inverse_rational_control.inference.objective import Evaluation
from inverse_rational_control.parameters import box_places
from inverse_rational_control.record import Record
from inverse_rational_control.task import ABSENT, MISSING, N_ACTIONS, N_LOCATIONS, Task

__all__ = [
    "ForagingEvaluation",
    "belief_chain",
    "chain_inputs",
    "chain_tables",
    "evaluate",
    "evaluate_model",
    "gradient",
    "log_likelihood",
    "model_log_likelihood",
    "q_function",
]


@dataclass(frozen=True)
class ForagingEvaluation(Evaluation):
    """Log-likelihood, gradient and what an E-step found at one parameter vector.

    The log-likelihood is -inf if the planner was not solved or the record is impossible.

    Attributes
    ----------
    counts : ExpectedCounts or None
    model : AgentModel
    """

    counts: ExpectedCounts | None
    model: AgentModel


def chain_inputs(
    record: Record, extras: tuple[str, ...] = (), *, n_cues: int | None = None
) -> ChainInputs:
    """Translate a record into indices of the latent chain (emission = location and action).

    Where the agent perseverates, the action before is part of the emission: none at a session's start.

    Rewards are left out, and cues only choose the belief kernels: the world makes both, so their own
    probabilities do not depend on the agent's parameters (docs/model.md section 6). Kernels after those
    of the `n_cues` colors are for steps without one; a record that has such needs `n_cues`.
    """
    reset = np.empty(record.n_steps, dtype=np.int8)
    reset[1:] = record.opened[:-1]
    reset[record.session_starts] = -1
    emitted = record.location.astype(np.int32)
    emitted *= N_ACTIONS
    emitted += record.action
    if "perseveration" in extras:
        before = np.empty(record.n_steps, dtype=np.int32)
        before[1:] = record.action[:-1]
        before[record.session_starts] = N_ACTIONS
        before *= N_LOCATIONS * N_ACTIONS
        emitted += before
    return ChainInputs(
        emitted=emitted,
        kernel_1=_kernel_index(record.cue[:, 0], n_cues),
        kernel_2=_kernel_index(record.cue[:, 1], n_cues),
        reset=reset,
    )


def _kernel_index(cue: np.ndarray, n_cues: int | None) -> np.ndarray:
    """Kernel of each step, int16 (T,): that of its color, else one of the two after all colors."""
    index = np.array(cue, dtype=np.int16)
    for after, code in enumerate((ABSENT, MISSING)):
        lacks = cue == code
        if lacks.any():
            if n_cues is None:
                raise ValueError("n_cues: found none for a record with steps without a cue")
            index[lacks] = n_cues + after
    return index


def chain_tables(model: AgentModel, n_kernels: int = 0) -> ChainTables:
    """The latent chain's probabilities under an agent's model; see `belief_chain`."""
    n = model.task.n_bins
    return belief_chain(model.log_policy.reshape(-1, n, n), model.boxes, n_kernels)


def belief_chain(
    log_emissions: np.ndarray, boxes: tuple[BoxBeliefs, BoxBeliefs], n_kernels: int = 0
) -> ChainTables:
    """A latent chain of both boxes' belief bins with given emissions, shape (15 layers, N, N).

    With the kernels of steps without a color where `n_kernels` are more than the colors.
    """
    box_1, box_2 = (box.steps(n_kernels) for box in boxes)
    return ChainTables(
        log_emissions=log_emissions,
        kernels_1=box_1.kernel,
        kernels_2=box_2.kernel,
        resets_1=box_1.reset_kernel,
        resets_2=box_2.reset_kernel,
    )


def log_likelihood(
    theta: np.ndarray, inputs: ChainInputs, task: Task, extras: tuple[str, ...] = ()
) -> float:
    """Log-likelihood of a record in nats; -inf if the planner was not solved.

    Parameters
    ----------
    theta : ndarray, shape (10 + extras,), natural coordinates
    inputs : ChainInputs
        From `chain_inputs(record, extras, n_cues=task.n_cues)`.
    task : Task
    extras : tuple of str
        The agent's extra parameters, in their order.
    """
    model = agent_model(theta, task, extras, with_derivatives=False)
    return model_log_likelihood(model, inputs)


def model_log_likelihood(model: AgentModel, inputs: ChainInputs) -> float:
    """Log-likelihood of a record under an agent's model, nats; -inf if its plan is not solved."""
    if not model.plan.converged:
        return -np.inf
    return chain_log_likelihood(chain_tables(model, inputs.n_kernels), inputs)


def gradient(model: AgentModel, counts: ExpectedCounts) -> np.ndarray | None:
    """Gradient of the expected complete-data log-likelihood by theta, natural coordinates.

    With counts from the same model this is the gradient of the log-likelihood (Fisher's identity).
    None if the planner's adjoint was not solved.
    """
    total = model.policy_gradient(counts.emissions.reshape(model.log_policy.shape))
    if total is None:
        return None
    ratios = ((counts.ratio_1, counts.reset_ratio_1), (counts.ratio_2, counts.reset_ratio_2))
    for tables, places, (ratio, reset_ratio) in zip(
        model.boxes, box_places(model.extras), ratios, strict=True
    ):
        steps = tables.steps(len(ratio))
        by_parameter = (steps.kernel_jacobian * ratio).sum((1, 2, 3))
        by_parameter += (steps.reset_kernel_jacobian * reset_ratio).sum((1, 2))
        total[list(places)] += by_parameter
    return total if np.isfinite(total).all() else None


def evaluate(
    theta: np.ndarray, inputs: ChainInputs, task: Task, extras: tuple[str, ...] = ()
) -> ForagingEvaluation:
    """One E-step and one adjoint solve: log-likelihood, gradient and expected counts.

    Parameters
    ----------
    theta, inputs, task, extras
        As for `log_likelihood`.
    """
    return evaluate_model(agent_model(theta, task, extras), inputs)


def evaluate_model(model: AgentModel, inputs: ChainInputs) -> ForagingEvaluation:
    """As `evaluate`, of an agent whose model is made already."""
    if not model.plan.converged:
        return ForagingEvaluation(-np.inf, None, None, model)
    counts = expected_counts(chain_tables(model, inputs.n_kernels), inputs)
    if not counts.usable:
        return ForagingEvaluation(-np.inf, None, None, model)
    return ForagingEvaluation(counts.log_likelihood, gradient(model, counts), counts, model)


def q_function(
    theta: np.ndarray, task: Task, counts: ExpectedCounts, counted: AgentModel
) -> tuple[float, np.ndarray | None]:
    """The paper's Q function Q(theta | theta_old) and its gradient in natural coordinates.

    Parameters
    ----------
    theta : ndarray, shape (10 + extras,)
    task : Task
    counts : ExpectedCounts
        From an E-step at theta_old.
    counted : AgentModel
        The model at theta_old, with the same extra parameters.

    Returns
    -------
    value : float
        In nats, entropy of the posterior left out; -inf if theta is not usable.
    gradient : ndarray, shape (10 + extras,), or None
    """
    model = agent_model(theta, task, counted.extras)
    if not model.plan.converged:
        return -np.inf, None
    old, new = (chain_tables(each, len(counts.ratio_1)) for each in (counted, model))
    value = _weighted_log_sum(counts.emissions, new.log_emissions)
    ratios = []
    for ratio, old_table, new_table in (
        (counts.ratio_1, old.kernels_1, new.kernels_1),
        (counts.ratio_2, old.kernels_2, new.kernels_2),
        (counts.reset_ratio_1, old.resets_1, new.resets_1),
        (counts.reset_ratio_2, old.resets_2, new.resets_2),
    ):
        expected = ratio * old_table  # counts are kept divided by the kernel
        with np.errstate(divide="ignore", invalid="ignore"):
            value += _weighted_log_sum(expected, np.log(new_table))
            ratios.append(np.where(expected > 0, expected / new_table, 0.0))
    if not np.isfinite(value):
        return -np.inf, None
    return value, gradient(model, ExpectedCounts(value, counts.emissions, *ratios))


def _weighted_log_sum(weights, logs):
    """sum(weights * logs) with 0 log 0 = 0."""
    return float((weights * np.where(weights > 0, logs, 0.0)).sum())
