"""Datasets of the calibration: what was found of each agent, and the summary over agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.recordings.dataset import names
from inverse_rational_control.statistics import (
    coverage_over_records,
    mean_and_error,
)
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.studies.calibration.analysis import (
    band_of_counts,
    counts_below,
    power_scaling,
    spread,
)

if TYPE_CHECKING:
    from inverse_rational_control.inference.prior import Prior

__all__ = [
    "BAND_LEVEL",
    "CALIBRATED",
    "CALIBRATION",
    "QUANTITIES",
    "calibrated_dataset",
    "calibration_dataset",
    "paper_variables",
]

#: Quantities ranked besides the parameters.
QUANTITIES = ("log_likelihood", "mean_belief_1", "mean_belief_2")
#: Probability that some rank distribution of a right sampler leaves the band that is drawn.
BAND_LEVEL = 0.05
_SHOWN_TAILS, _POINTS = (0.001, 0.999), 201

_OF_AN_AGENT = {
    "truth": variable("parameter", "f", "natural", "drawn from the prior"),
    "z_score": variable("parameter", "f", "1", "posterior mean less truth, by its SD"),
    "contraction": variable("parameter", "f", "1", "1 - posterior variance by the prior's"),
    "covered": variable("parameter level", "b", "", "truth inside the central interval"),
    "rank": variable("quantity", "i", "", "draws below the truth; -1 without draws"),
    "gradient_error": variable("", "f", "1", "of the gradient against differences, relative"),
    "belief_covered": variable("", "f", "1", "share of true beliefs in sets under all draws"),
    "belief_mass": variable("", "f", "1", "mean mass of these sets"),
    "belief_covered_at_mode": variable("", "f", "1", "the same under the posterior's mode alone"),
    "belief_mass_at_mode": variable("", "f", "1", "mean mass of these sets"),
    "status": variable("", "U", "", "of the posterior"),
    "sampler": variable("", "U", "", "nuts or importance"),
    "remarks": variable("", "U", "", "what is unusual about draws and mode, in words"),
    "k_hat": variable("", "f", "1", "shape of the importance weights' tail"),
    "ess": variable("", "f", "draws", "least effective sample of the parameters, bulk and tail"),
    "n_evaluations": variable("", "i", "", "gradients and forward passes"),
    "n_refused": variable("", "i", "", "draws from the prior without a plan before this agent"),
}

#: Kind `calibrated_agent`.
CALIBRATED = Contract(
    "calibrated_agent",
    "posterior of an agent drawn from the prior, compared with its true parameters",
    _OF_AN_AGENT,
    {},
    ("n_ranked_draws", "belief_mass_level", "n_steps"),
)

_ALL = {
    name: variable(" ".join(("agent", *each.dims)), each.type, each.unit, each.meaning)
    for name, each in _OF_AN_AGENT.items()
}

#: Kind `calibration`.
CALIBRATION = Contract(
    "calibration",
    "ranks, coverage and contraction of posteriors over agents drawn from the prior",
    {
        **_ALL,
        "counts": variable("quantity place", "i", "", "agents whose rank is below each place"),
        "band_lower": variable("place", "i", "", "simultaneous band of the counts, all quantities"),
        "band_upper": variable("place", "i", "", "simultaneous band of the counts, all quantities"),
        "spread": variable("", "f", "1", "variance of the parameters' ranks, of uniform ones"),
        "spread_standard_error": variable("", "f", "1", "clustered by agent"),
        "parameter_spread": variable("parameter", "f", "1", "the same of each parameter"),
        "coverage": variable("parameter level", "f", "1", "share of intervals that cover"),
        "pooled_coverage": variable("level", "f", "1", "over all parameters"),
        "pooled_coverage_standard_error": variable("level", "f", "1", "clustered by agent"),
        "belief_excess": variable("decoder", "f", "1", "coverage of belief sets less their mass"),
        "belief_excess_standard_error": variable("decoder", "f", "1", "over agents"),
    },
    {
        "prior_theta": variable("point parameter", "f", "natural", "where the prior is drawn"),
        "prior_density": variable("point parameter", "f", "1/natural", "of the prior there"),
        "paper_draws": variable("draw parameter", "f", "natural", "paper's agent: posterior draws"),
        "paper_truth": variable("parameter", "f", "natural", "paper's agent: true parameters"),
        "paper_estimate": variable("parameter", "f", "natural", "paper's agent: the fit's"),
        "prior_sensitivity": variable("parameter", "f", "1", "paper's agent: by power scaling"),
        "likelihood_sensitivity": variable("parameter", "f", "1", "paper's agent: the same"),
    },
    ("n_ranked_draws", "belief_mass_level", "band_level", "n_steps"),
)


def calibrated_dataset(
    found: Mapping[str, np.ndarray],
    levels: Sequence[float],
    parameters: Sequence[str] | None = None,
    others: Sequence[str] = QUANTITIES,
) -> xr.Dataset:
    """What was found of an agent as a dataset of kind `calibrated_agent`, attributes left out.

    Parameters
    ----------
    found : mapping
        The contract's variables by name; what is missing is filled as unknown.
    levels : sequence of float
        Of the central intervals.
    parameters, others : sequence of str
        Names of the parameters, the agent's ten if not given, and of what else is ranked.
    """
    parameters = names() if parameters is None else list(parameters)
    labels = {
        "parameter": parameters,
        "level": list(levels),
        "quantity": [*parameters, *others],
    }
    unknown = {"f": np.nan, "i": -1, "b": False, "U": ""}
    return xr.Dataset(
        {
            name: (
                each.dims,
                found.get(name, np.full([len(labels[d]) for d in each.dims], unknown[each.type])),
            )
            for name, each in _OF_AN_AGENT.items()
        },
        labels,
    )


def calibration_dataset(agents: xr.Dataset) -> xr.Dataset:
    """Summarize all agents as a dataset of kind `calibration`.

    Agents without draws have no rank; all others enter, whatever their posterior's status.

    Parameters
    ----------
    agents : xarray.Dataset
        Kind `calibrated_agent`, along `agent`.
    """
    n_draws = int(agents.attrs["n_ranked_draws"])
    drawn = (agents["rank"] >= 0).all("quantity").values
    rank = agents["rank"].transpose("agent", "quantity").values[drawn]
    covered = agents["covered"].transpose("agent", "parameter", "level").values.astype(bool)
    of_parameters = rank[:, : agents.sizes["parameter"]]
    band = np.zeros((2, n_draws), dtype=int)
    if drawn.any():
        band = band_of_counts(int(drawn.sum()), n_draws, BAND_LEVEL / rank.shape[1])
    ratio, error = spread(of_parameters, n_draws)
    defined = np.broadcast_to(drawn[:, None], covered.shape[:2])
    pooled = np.array(
        [coverage_over_records(covered[..., k], defined) for k in range(covered.shape[2])]
    )
    excess = np.array(
        [
            mean_and_error((agents[f"belief_covered{at}"] - agents[f"belief_mass{at}"]).values)
            for at in ("", "_at_mode")
        ]
    )
    return (
        agents.assign(
            {
                "counts": (
                    ("quantity", "place"),
                    np.array([counts_below(column, n_draws) for column in rank.T]),
                ),
                "band_lower": ("place", band[0]),
                "band_upper": ("place", band[1]),
                "spread": ((), ratio),
                "spread_standard_error": ((), error),
                "parameter_spread": (
                    "parameter",
                    [spread(column[:, None], n_draws)[0] for column in of_parameters.T],
                ),
                "coverage": (("parameter", "level"), mean_and_error(1.0 * covered[drawn])[0]),
                "pooled_coverage": ("level", pooled[:, 0]),
                "pooled_coverage_standard_error": ("level", pooled[:, 1]),
                "belief_excess": ("decoder", excess[:, 0]),
                "belief_excess_standard_error": ("decoder", excess[:, 1]),
            }
        )
        .assign_coords(place=np.arange(1, n_draws + 1), decoder=["mixture", "mode"])
        .assign_attrs(band_level=BAND_LEVEL)
    )


def paper_variables(
    draws: np.ndarray,
    log_likelihood: np.ndarray,
    prior: Prior,
    truth: np.ndarray,
    estimate: np.ndarray,
) -> dict[str, tuple]:
    """What is shown of the paper's agent: prior, draws, estimate, sensitivity by power scaling.

    Parameters
    ----------
    draws : ndarray, shape (draws, n)
        Natural coordinates.
    log_likelihood : ndarray, shape (draws,)
        Nats.
    prior : Prior
    truth, estimate : ndarray, shape (n,)
        Natural coordinates; the estimate is the fit's.
    """
    eta = prior.space.unconstrained(draws)
    log_prior = np.apply_along_axis(prior.log_density, 1, eta)
    probability = np.linspace(*_SHOWN_TAILS, _POINTS)
    theta = prior.quantiles(probability)
    cells = ("draw", "parameter")
    return {
        "paper_draws": (cells, draws),
        "paper_truth": ("parameter", truth),
        "paper_estimate": ("parameter", estimate),
        "prior_sensitivity": ("parameter", power_scaling(eta, log_prior)),
        "likelihood_sensitivity": ("parameter", power_scaling(eta, log_likelihood)),
        "prior_theta": (("point", "parameter"), theta),
        "prior_density": (("point", "parameter"), np.exp(prior.log_marginal(theta))),
    }
