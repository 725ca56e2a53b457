"""Criteria of the paper's one agent (Figures 3 to 5)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from scipy.special import chdtri, ndtri

from inverse_rational_control.inference.carried import ESTIMATE_ALONE
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.parameters import natural, unconstrained
from inverse_rational_control.statistics import standard_deviations
from inverse_rational_control.studies.criterion import Criterion, at_least, at_most, largest_fall
from inverse_rational_control.studies.paper.dataset import BEHAVIOR, MODELS, POSTERIOR

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {
    "fit": FIT,
    "em_trajectory": FIT,
    "posterior": POSTERIOR,
    "behavior": BEHAVIOR,
    "models": MODELS,
}


def criteria(
    fit: xr.Dataset,
    em_trajectory: xr.Dataset,
    posterior: xr.Dataset,
    behavior: xr.Dataset,
    models: xr.Dataset,
    bounds: Mapping,
) -> list[Criterion]:
    """Judge the paper's one agent (Figures 3 to 5).

    Parameters
    ----------
    fit, em_trajectory, posterior, behavior, models : xarray.Dataset
        Of their kinds, for the simulated agent.
    bounds : mapping
        The `check` section of the configuration.
    """
    found = [
        Criterion(
            "fit_converged",
            "3",
            float(fit["newton_decrement"].values[int(fit["best_start"])]),
            "status converged",
            str(fit["status"].values) == "converged",
            f"the best start must meet its criterion; status is {fit['status'].values}",
        ),
        at_least(
            "fit_likelihood_above_truth",
            "3",
            float(fit["log_likelihood"] - fit["truth_log_likelihood"]),
            0.0,
            "a maximum-likelihood estimate cannot be less likely than the truth",
        ),
        at_most(
            "truth_likelihood_ratio",
            "3",
            2.0 * float(fit["log_likelihood"] - fit["truth_log_likelihood"]),
            float(chdtri(fit.sizes["parameter"], 1.0 - bounds["interval_level"])),
            f"2 [l(estimate) - l(truth)]; {100 * bounds['interval_level']:g} % of chi-square with one "
            "degree of freedom per parameter",
        ),
        at_most(
            "planner_attracting",
            "3",
            float(fit["planner_radius"]),
            1.0,
            "an unstable fixed point is not the agent's plan",
        ),
        at_most(
            "fit_history_monotone",
            "3",
            max(largest_fall(fit), largest_fall(em_trajectory)),
            bounds["monotone_tolerance"],
            "the likelihood never falls, at any iteration of any start",
        ),
    ]
    ends = fit["end_log_likelihood"].values[fit["start_converged"].values]
    found.append(
        at_most(
            "converged_starts_agree",
            "3",
            float(np.ptp(ends)) if ends.size else np.nan,
            bounds["start_agreement_nats"],
            f"{ends.size} of {fit.sizes['start']} starts converged",
        )
    )
    found.append(_truth_inside(fit, bounds["interval_level"]))
    for box in posterior["box"].values:
        part = posterior.sel(box=box)
        found.append(
            at_least(
                f"belief_correlation_box_{box}",
                "4",
                float(part["correlation"]),
                bounds["belief_correlation_minimum"],
                "decoded against true beliefs",
            )
        )
        found.append(
            at_most(
                f"belief_calibration_box_{box}",
                "4",
                abs(float(part["true_model_coverage"] - part["true_model_expected"])),
                bounds["credible_tolerance"],
                "decoding with the true parameters, 90 % credible sets hold the true belief as often "
                "as they say; with the estimates the difference is "
                f"{float(part['credible_coverage'] - part['credible_expected']):.3f}",
            )
        )
        if posterior.attrs["parameters_from"] != ESTIMATE_ALONE:
            found.append(_carried_on(part, box))
    elsewhere = behavior["replicate_predictive_distance"].values
    found.append(
        at_most(
            "predictive_distance",
            "5",
            float(behavior["predictive_distance"]),
            float(np.percentile(elsewhere, bounds["null_percentile"])),
            f"{bounds['null_percentile']:g} % of the inferred agent's {elsewhere.size} simulations are "
            f"closer to their mean in all {behavior.sizes['checked']} statistics together; p = "
            f"{float(behavior['predictive_p_together']):.3f}",
        )
    )
    for statistic in behavior["statistic"].values:
        null = behavior["null_distance"].sel(statistic=statistic).values
        null = null[np.isfinite(null)]
        found.append(
            at_most(
                f"{statistic}_distance",
                "5",
                float(behavior["distance"].sel(statistic=statistic)),
                float(np.percentile(null, bounds["null_percentile"])) if null.size else np.nan,
                f"{bounds['null_percentile']:g} % of {null.size} records of the "
                f"{behavior.attrs['null_agent']} agent are closer to their own mean",
            )
        )
    found.append(
        at_least(
            "value_function_correlation",
            "5",
            float(models["value_correlation"]),
            bounds["value_correlation_minimum"],
            "the true and the inferred model have similar value functions",
        )
    )
    return found


def _carried_on(part: xr.Dataset, box: int) -> Criterion:
    """Credible sets of the decoding hold the true belief as often as a draw says that they do.

    Draws differ in how often, and all steps share one agent: the true agent is as one of them, and
    the rest is the error of the steps.
    """
    coverage, expected = float(part["credible_coverage"]), float(part["credible_expected"])
    # Without draws the sets must hold what they say.
    masses = part["credible_masses"].values if "credible_masses" in part else np.array([expected])
    beyond = max(0.0, masses.min() - coverage, coverage - masses.max())
    return at_most(
        f"belief_coverage_box_{box}",
        "4",
        beyond / float(part["credible_error"]),
        3.0,
        f"standard errors of {float(part['credible_error']):.4f}, by which the coverage lies outside "
        f"what any draw expects; with {part.attrs['parameters_from']}, sets of {expected:.3f} hold "
        f"{coverage:.3f}; with the estimate alone, sets of {float(part['estimate_expected']):.3f} hold "
        f"{float(part['estimate_coverage']):.3f}",
    )


def _truth_inside(fit: xr.Dataset, level: float) -> Criterion:
    """All true parameters inside their intervals, which together hold at the given level.

    With ten intervals of that level each, one in a hundred correct fits would fail by chance.
    """
    each = 1.0 - (1.0 - level) / fit.sizes["parameter"]
    eta = unconstrained(fit["estimate"].values)
    deviation = np.full(eta.size, np.nan)
    if bool(fit["information_positive_definite"]):
        deviation = standard_deviations(fit["information"].values)
    reach = ndtri(0.5 + each / 2.0) * deviation
    truth = fit["truth"].values
    outside = ~((natural(eta - reach) <= truth) & (truth <= natural(eta + reach)))
    named = ", ".join(fit["parameter"].values[outside]) or "none"
    return at_most(
        "truth_outside_interval",
        "3",
        int(outside.sum()),
        0,
        f"true values outside their {100 * each:g} % interval ({100 * level:g} % for all together): "
        f"{named}",
    )
