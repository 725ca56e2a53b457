"""Posteriors as datasets: a summary, and the draws in the groups of ArviZ's InferenceData."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.statistics import thinned
from inverse_rational_control.storage.contract import Contract, DatasetError, read_groups, variable

if TYPE_CHECKING:
    from inverse_rational_control.inference.posterior import Posterior

__all__ = ["POSTERIOR", "posterior_datasets", "read_draws", "thinned_draws"]

_SAMPLED = {
    "log_likelihood": variable("chain draw", "f", "nat", "log-likelihood of the draw"),
    "log_prior": variable("chain draw", "f", "nat", "log prior density, unconstrained coordinates"),
    "lp": variable("chain draw", "f", "nat", "the two together"),
}
_BY_NUTS = {
    "diverging": variable(
        "chain draw", "b", "", "the path diverged, or met a place without density"
    ),
    "energy": variable("chain draw", "f", "nat", "of the Hamiltonian"),
    "energy_error": variable("chain draw", "f", "nat", "of the path"),
    "tree_depth": variable("chain draw", "i", "", "doublings of the path"),
    "reached_max_treedepth": variable("chain draw", "b", "", "the path met the limit of doublings"),
    "n_steps": variable("chain draw", "i", "", "gradients"),
    "step_size": variable("chain draw", "f", "1", "whitened coordinates"),
    "acceptance_rate": variable("chain draw", "f", "1", "mean over the path"),
}

#: Kind `parameter_posterior`: the summary at the top, draws in groups that ArviZ reads.
POSTERIOR = Contract(
    "parameter_posterior",
    "posterior of one record's parameters: summary, and draws in ArviZ's groups",
    {
        "median": variable("parameter", "f", "natural", "posterior median"),
        "interval_lower": variable(
            "parameter", "f", "natural", "lower end of the central interval"
        ),
        "interval_upper": variable(
            "parameter", "f", "natural", "upper end of the central interval"
        ),
        "mean": variable("parameter", "f", "natural", "posterior mean"),
        "standard_deviation": variable("parameter", "f", "natural", "posterior standard deviation"),
        "unconstrained_standard_deviation": variable(
            "parameter", "f", "unconstrained", "posterior standard deviation"
        ),
        "mode": variable(
            "parameter", "f", "natural", "highest density by unconstrained coordinates"
        ),
        "mode_log_density": variable("", "f", "nat", "log-likelihood plus log prior at the mode"),
        "mode_status": variable("", "U", "", "status of the search for the mode"),
        "prior_mean": variable("parameter", "f", "unconstrained", "of the prior's normal"),
        "prior_standard_deviation": variable(
            "parameter", "f", "unconstrained", "of the prior's normal; infinite without a prior"
        ),
        "r_hat": variable("parameter", "f", "1", "rank-normalized, over chains"),
        "ess_bulk": variable("parameter", "f", "draws", "effective sample, bulk"),
        "ess_tail": variable("parameter", "f", "draws", "effective sample, tails"),
        "sampler": variable("", "U", "", "nuts or importance"),
        "status": variable("", "U", "", "converged, rough or not_converged"),
        "remarks": variable("", "U", "", "what is unusual about draws and mode, in words"),
        "n_divergences": variable("", "i", "", "draws that diverged"),
        "n_at_walls": variable("", "i", "", "of these, draws that met parameters without a plan"),
        "n_at_depth": variable("", "i", "", "draws that met the limit of doublings"),
        "bfmi_minimum": variable("", "f", "1", "least over chains; NaN without chains"),
        "k_hat": variable("", "f", "1", "shape of the importance weights' tail; good below 0.7"),
        "importance_ess": variable("", "f", "draws", "effective sample of the importance weights"),
        "log_evidence": variable("", "f", "nat", "log of the probability of the record"),
        "log_evidence_error": variable("", "f", "nat", "its standard error"),
        "n_evaluations": variable("", "i", "", "gradients and forward passes in all"),
    },
    {
        "truth": variable(
            "parameter", "f", "natural", "parameters of the simulated agent", finite=True
        ),
        "world": variable(
            "world_parameter", "f", "natural", "parameters of the simulated world", finite=True
        ),
    },
    ("task", "interval_level"),
    groups={
        "posterior": Contract(
            "posterior",
            "draws from the posterior",
            {"parameters": variable("chain draw parameter", "f", "natural", "draws", finite=True)},
        ),
        "sample_stats": Contract(
            "sample_stats", "what the sampler says of each draw", _SAMPLED, _BY_NUTS
        ),
    },
)


_BY_PARAMETER = (
    *("median", "interval_lower", "interval_upper", "mean", "standard_deviation"),
    "unconstrained_standard_deviation",
)


def posterior_datasets(posterior: Posterior) -> dict[str, xr.Dataset]:
    """A posterior as datasets by group; "" is the summary.

    The attribute `task`, and the truth where it is known, are for the caller to add to the summary.
    """
    space, found = posterior.density.space, posterior.diagnostics
    names = [parameter.name for parameter in space.parameters]
    n = len(names)
    draws, drawn = posterior.draws, len(posterior.draws) > 0
    lower, median, upper = posterior.interval()
    nothing = np.full(n, np.nan)
    prior, weighed = posterior.density.prior, posterior.importance
    of_importance = {
        "k_hat": np.nan if weighed is None else weighed.k_hat,
        "importance_ess": np.nan if weighed is None else weighed.effective_size,
        "log_evidence": np.nan if weighed is None else weighed.log_evidence,
        "log_evidence_error": np.nan if weighed is None else weighed.log_evidence_error,
    }
    summary = xr.Dataset(
        {
            "median": ("parameter", median),
            "interval_lower": ("parameter", lower),
            "interval_upper": ("parameter", upper),
            "mean": ("parameter", draws.mean(0) if drawn else nothing),
            "standard_deviation": ("parameter", draws.std(0, ddof=1) if drawn else nothing),
            "unconstrained_standard_deviation": (
                "parameter",
                space.unconstrained(draws).std(0, ddof=1) if drawn else nothing,
            ),
            "mode": ("parameter", posterior.mode.estimate),
            "mode_log_density": ((), float(posterior.mode.log_likelihood)),
            "mode_status": ((), str(posterior.mode.status)),
            "prior_mean": ("parameter", prior.mean),
            "prior_standard_deviation": ("parameter", prior.standard_deviation),
            "r_hat": ("parameter", found.r_hat),
            "ess_bulk": ("parameter", found.ess_bulk),
            "ess_tail": ("parameter", found.ess_tail),
            "sampler": ((), posterior.sampler),
            "status": ((), str(posterior.status)),
            "remarks": ((), "; ".join(posterior.remarks)),
            "n_divergences": ((), found.n_divergences),
            "n_at_walls": ((), found.n_at_walls),
            "n_at_depth": ((), found.n_at_depth),
            "bfmi_minimum": (
                (),
                float(found.bfmi.min(initial=np.inf)) if found.bfmi.size else np.nan,
            ),
            **{name: ((), float(value)) for name, value in of_importance.items()},
            "n_evaluations": ((), posterior.n_evaluations),
        },
        {
            "parameter": names,
            "unit": ("parameter", [parameter.unit for parameter in space.parameters]),
        },
        {"interval_level": posterior.settings.interval_level},
    )
    # What does not exist has no values.
    gone = ~space.exists
    for name in _BY_PARAMETER if gone.any() else ():
        summary[name] = summary[name].where(~xr.DataArray(gone, dims="parameter"))
    cells = ("chain", "draw")
    eta = space.unconstrained(posterior.parameters)
    log_prior = (
        np.apply_along_axis(prior.log_density, -1, eta) if drawn else np.empty(eta.shape[:2])
    )
    labels = {"chain": np.arange(eta.shape[0]), "draw": np.arange(eta.shape[1])}
    return {
        "": summary,
        "posterior": xr.Dataset(
            {"parameters": ((*cells, "parameter"), posterior.parameters)},
            {**labels, "parameter": names},
        ),
        "sample_stats": xr.Dataset(
            {
                "lp": (cells, posterior.log_density),
                "log_prior": (cells, log_prior),
                "log_likelihood": (cells, posterior.log_density - log_prior),
                **{name: (cells, values) for name, values in posterior.statistics.items()},
            },
            labels,
        ),
    }


def read_draws(path: str | Path, n_draws: int | None = None) -> tuple[xr.Dataset, np.ndarray]:
    """Read a posterior that holds draws: its summary, and draws evenly spaced over the chains.

    Returns
    -------
    summary : xarray.Dataset
    draws : ndarray, shape (n_draws, n)
        Natural coordinates; all of them if no number is given.

    Raises
    ------
    DatasetError
        As `read`, or if there are no draws.
    """
    groups = read_groups(path, POSTERIOR)
    return groups[""], thinned_draws(path, groups, n_draws)


def thinned_draws(
    path: str | Path, groups: Mapping[str, xr.Dataset], n_draws: int | None = None
) -> np.ndarray:
    """The draws of a posterior that was read from a path by `read_groups`; see `read_draws`."""
    summary, draws = groups[""], groups["posterior"]["parameters"].values
    draws = draws.reshape(-1, draws.shape[-1])
    if not len(draws):
        raise DatasetError(
            f"{path}: found no draws (status {summary['status'].values}: "
            f"{summary['remarks'].values}), so nothing can be made from this posterior"
        )
    return draws if n_draws is None else thinned(draws, n_draws)
