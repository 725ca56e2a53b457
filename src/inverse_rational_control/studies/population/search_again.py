"""Whether an independent search finds more than a reported maximum, for some of the agents.

The library's own starts from another random stream, without stopping early.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import random_start
from inverse_rational_control.inference.jumping import run_from
from inverse_rational_control.inference.search import Search
from inverse_rational_control.inference.start import whitening_of_length
from inverse_rational_control.storage.contract import Contract, variable

__all__ = ["SEARCH_AGAIN", "search_again", "search_again_dataset"]

#: Kind `search_again`.
SEARCH_AGAIN = Contract(
    "search_again",
    "ends of an independent search, beside the maxima that the fits of some agents report",
    {
        "reported_log_likelihood": variable("agent", "f", "nat", "of the agent's fit"),
        "end_log_likelihood": variable("agent start", "f", "nat", "where each start ended"),
        "n_evaluations": variable("agent start", "i", "", "E-steps used"),
    },
)


def search_again(
    objective: ForagingObjective,
    settings: FitSettings,
    generator: Callable[[int], np.random.Generator],
    n_starts: int,
    reported: float,
    whitening: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Log-likelihoods where independent starts end, nats, and E-steps, (n_starts,) each.

    Parameters
    ----------
    objective, settings, generator, n_starts, whitening
        As for `foraging.starts.fit_from_random_starts`.
    reported : float
        The maximum in question, nats: no last digits are sought far below it.
    """
    ends, used, curvatures = np.empty(n_starts), np.empty(n_starts, dtype=np.int64), []
    for number in range(n_starts):
        start = random_start(objective, settings, generator, number, whitening)
        search = Search(objective, whitening_of_length(objective, whitening), curvatures)
        result, _ = run_from(search, start, settings, reported, climbs=start.jumps_expected)
        ends[number], used[number] = result.log_likelihood, result.n_evaluations
    return ends, used


def search_again_dataset(
    agents: Sequence[int] | Sequence[str], reported: np.ndarray, ends: np.ndarray, used: np.ndarray
) -> xr.Dataset:
    """A dataset of kind `search_again`.

    Parameters
    ----------
    agents : sequence of int, or of str
        Numbers, or names.
    reported : ndarray, shape (agents,)
        Nats.
    ends, used : ndarray, shape (agents, starts)
        Nats; E-steps.
    """
    return xr.Dataset(
        {
            "reported_log_likelihood": ("agent", reported),
            "end_log_likelihood": (("agent", "start"), ends),
            "n_evaluations": (("agent", "start"), used),
        },
        {"agent": list(agents), "start": np.arange(ends.shape[1])},
    )
