"""What decoding says: beliefs at an estimate, and decoders that know more or less of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from inverse_rational_control.foraging.decoding import Decoding, decode
from inverse_rational_control.foraging.scoring import N_LEVELS, log_scores, score_decoding
from inverse_rational_control.record import Record
from inverse_rational_control.statistics import belief_accuracy, block_standard_error, reliability
from inverse_rational_control.task import Task

if TYPE_CHECKING:
    from inverse_rational_control.inference.fit import Fit

__all__ = ["compare_decoders", "decoded_accuracy"]

_SCORES = ("correlation", "rmse", "log_score")
_DIAGRAM = ("predicted", "observed", "standard_error", "count", "variance")


def decoded_accuracy(
    fit: Fit, record: Record, task: Task, true_beliefs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Correlation and RMSE of the beliefs decoded at an estimate with the agent's own.

    Parameters
    ----------
    fit : Fit
    record : Record
    task : Task
        The analyst's; its number of bins need not be the agent's.
    true_beliefs : ndarray, shape (T, 2)
        Centers of the agent's bins, [step, box].

    Returns
    -------
    correlation, rmse : ndarray, shape (2,)
        NaN if the fit led nowhere.
    """
    if not (np.isfinite(fit.estimate).all() and np.isfinite(fit.log_likelihood)):
        return np.full(2, np.nan), np.full(2, np.nan)
    return belief_accuracy(decode(fit.estimate, record, task).means, true_beliefs)


def compare_decoders(
    decodings: Mapping[str, Decoding], true_bin: np.ndarray, block_steps: int
) -> dict[str, np.ndarray]:
    """Scores and reliability diagrams of several decoders of one record.

    Parameters
    ----------
    decodings : mapping of str to Decoding
        By decoder; "cues" is the one that gains are over.
    true_bin : ndarray of int, shape (T, 2)
        [step, box].
    block_steps : int
        Steps of the blocks over which standard errors are taken.

    Returns
    -------
    dict of str to ndarray
        The variables of the contract `dataset.DECODERS`, [decoder, box] or [decoder, box, level].
    """
    scores = [score_decoding(decoding, true_bin) for decoding in decodings.values()]
    by_step = {name: log_scores(decoding, true_bin) for name, decoding in decodings.items()}
    # A bin that one decoder rules out gives an infinite score; an infinite gain has no error.
    with np.errstate(invalid="ignore"):
        gains = np.array([score - by_step["cues"] for score in by_step.values()])
        errors = block_standard_error(gains, block_steps)
    diagrams = [
        [
            reliability(marginal, bins, N_LEVELS, block_steps)
            for marginal, bins in zip(decoding.marginals, true_bin.T, strict=True)
        ]
        for decoding in decodings.values()
    ]
    return {
        **{f"decoder_{name}": np.array([getattr(s, name) for s in scores]) for name in _SCORES},
        "log_score_gain": gains.mean(-1),
        "log_score_gain_standard_error": errors,
        **{
            f"calibration_{name}": np.array([[getattr(d, name) for d in row] for row in diagrams])
            for name in _DIAGRAM
        },
    }
