"""Criteria of the paper's one agent (Figures 3 to 5)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from scipy.special import chdtri

from inverse_rational_control.inference.carried import ESTIMATE_ALONE
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import coordinates_of_dataset
from inverse_rational_control.studies.criterion import (
    Criterion,
    at_least,
    at_most,
    em_rises,
    not_judged,
    within,
)
from inverse_rational_control.studies.paper.analysis import held_out_loss_bound
from inverse_rational_control.studies.paper.dataset import BEHAVIOR, POSTERIOR

__all__ = ["INPUTS", "criteria"]

#: The datasets it takes, and their contracts.
INPUTS = {"fit": FIT, "em_trajectory": FIT, "posterior": POSTERIOR, "behavior": BEHAVIOR}

_COVERAGE_ERRORS = 3.0  # of the steps, beyond what draws expect


def criteria(
    fit: xr.Dataset,
    em_trajectory: xr.Dataset,
    posterior: xr.Dataset,
    behavior: xr.Dataset,
    bounds: Mapping,
) -> list[Criterion]:
    """Judge the paper's one agent (Figures 3 to 5).

    Parameters
    ----------
    fit, em_trajectory, posterior, behavior : xarray.Dataset
        Of their kinds, for the simulated agent.
    bounds : mapping
        The `check` section of the configuration.
    """
    n_steps, least = posterior.sizes["step"], bounds["asymptotic_from"]
    short = f"{n_steps} steps; judged from {least} on, since it rests on theory of long records"
    return [
        *_maximum(fit, em_trajectory, bounds, short if n_steps < least else ""),
        *_beliefs(posterior, bounds, short if n_steps < least else ""),
        _carried_on(posterior, short if n_steps < least else ""),
        *_behavior(behavior, fit.sizes["parameter"], bounds),
    ]


def _maximum(fit, em_trajectory, bounds, short) -> list[Criterion]:
    """Figure 3: the estimate is the maximum, and the truth lies where statistics says."""
    level, n_parameters = bounds["interval_level"], fit.sizes["parameter"]
    # Both tails: a likelihood ratio too near zero is as improbable as one too large.
    chi_square = chdtri(n_parameters, 0.5 + 0.5 * np.array([level, -level])).tolist()
    central = (
        f"central {100 * level:g} % of chi-square with {n_parameters} degrees of freedom, one per "
        "parameter"
    )
    ends = fit["end_log_likelihood"].values
    gaps = float(fit["log_likelihood"]) - ends[np.isfinite(ends)]
    agreeing = int((gaps <= bounds["start_agreement_nats"]).sum())
    found = [
        Criterion(
            "fit_converged",
            "3",
            float(fit["newton_decrement"].values[int(fit["best_start"])]),
            "status converged",
            str(fit["status"].values) == "converged",
            f"Newton decrement of the best start; status is {fit['status'].values}",
        ),
        within(
            "truth_likelihood_ratio",
            "3",
            2.0 * float(fit["log_likelihood"] - fit["truth_log_likelihood"]),
            *chi_square,
            f"2 [l(estimate) - l(truth)]; {central}",
        ),
    ]
    if short:
        found.append(not_judged("truth_wald_statistic", "3", short))
    else:
        eta = coordinates_of_dataset(fit).unconstrained
        off = eta(fit["estimate"].values) - eta(fit["truth"].values)
        statistic = float(off @ fit["information"].values @ off)
        if not bool(fit["information_positive_definite"]):
            statistic = np.nan
        found.append(
            within(
                "truth_wald_statistic",
                "3",
                statistic,
                *chi_square,
                "squared distance of the truth from the estimate in the standard errors and "
                f"correlations that the fit reports; {central}",
            )
        )
    if ends.size < 2:
        found.append(not_judged("best_end_reached_again", "3", "there is but one start"))
    else:
        found.append(
            at_least(
                "best_end_reached_again",
                "3",
                agreeing,
                2,
                f"starts within {bounds['start_agreement_nats']:g} nats of the best end, of "
                f"{ends.size}: a maximum found once may be one of many",
            )
        )
    found.append(em_rises("em_steps_rise", "3", [fit, em_trajectory]))
    return found


def _beliefs(posterior, bounds, short) -> list[Criterion]:
    """Figure 4: behavior tells the beliefs, and the posterior is as sure as it should be."""
    names = "belief_information", "belief_calibration"
    if short:
        return [not_judged(name, "4", short) for name in names]
    from_cues = posterior["cue_log_score"].values
    could = posterior["true_model_log_score"].values - from_cues
    with np.errstate(divide="ignore", invalid="ignore"):
        gained = (posterior["log_score"].values - from_cues) / could
    by_truth = (posterior["true_model_coverage"] - posterior["true_model_expected"]).values
    by_fit = (posterior["credible_coverage"] - posterior["credible_expected"]).values
    return [
        at_least(
            names[0],
            "4",
            # A decoder at the truth that learns nothing from actions leaves nothing to compare with.
            gained.min() if (could > 0).all() else np.nan,
            bounds["belief_information_minimum"],
            "share, in the worse box, of what actions tell about beliefs beyond cues and pushes "
            f"(decoding with the true parameters: {could.min():.3g} nats per step) that decoding with "
            "the estimate has",
        ),
        at_most(
            names[1],
            "4",
            np.abs(by_truth).max(),
            bounds["credible_tolerance"],
            "decoding with the true parameters, 90 % credible sets hold the true belief as often as "
            f"they say, in both boxes; as decoded the difference is {by_fit[0]:.3f} and "
            f"{by_fit[1]:.3f}",
        ),
    ]


def _carried_on(posterior, short) -> Criterion:
    """Credible sets of the decoding hold the true belief as often as a draw says that they do.

    Draws differ in how often, and all steps share one agent: the true agent is as one of them, and
    the rest is the error of the steps.
    """
    name = "belief_coverage"
    if posterior.attrs["parameters_from"] == ESTIMATE_ALONE:
        return not_judged(name, "4", "no posterior of the parameters was drawn from")
    if short:
        return not_judged(name, "4", short)
    coverage, expected = (posterior[f"credible_{each}"].values for each in ("coverage", "expected"))
    # Without draws the sets must hold what they say.
    masses = (
        posterior["credible_masses"].values if "credible_masses" in posterior else expected[None]
    )
    beyond = np.maximum(masses.min(0) - coverage, coverage - masses.max(0))
    errors = np.maximum(0.0, beyond) / posterior["credible_error"].values
    said = "; ".join(
        f"box {box + 1}: sets of {expected[box]:.3f} hold {coverage[box]:.3f}, with the estimate alone "
        f"sets of {float(posterior['estimate_expected'][box]):.3f} hold "
        f"{float(posterior['estimate_coverage'][box]):.3f}"
        for box in range(len(coverage))
    )
    return at_most(
        name,
        "4",
        errors.max(),
        _COVERAGE_ERRORS,
        "standard errors, in the worse box, by which the coverage of the decoding's credible sets lies "
        f"outside what any draw expects; with {posterior.attrs['parameters_from']}; {said}",
    )


def _behavior(behavior, n_parameters, bounds) -> list[Criterion]:
    """Figure 5: the inferred agent behaves like the true one, on records that it was not fitted to."""
    null = behavior["null_distance"].values
    reach = np.array(
        [
            np.percentile(each[np.isfinite(each)], bounds["null_percentile"])
            if np.isfinite(each).any()
            else np.nan
            for each in null.T
        ]
    )
    ratio = behavior["distance"].values / reach
    worst = int(np.argmax(np.nan_to_num(ratio, nan=np.inf)))
    loss = (behavior["truth_held_out_log_likelihood"] - behavior["held_out_log_likelihood"]).values
    level = bounds["interval_level"]
    return [
        at_most(
            "held_out_loss",
            "5",
            loss.mean(),
            held_out_loss_bound(n_parameters, loss.size, level),
            f"nats by which the estimate predicts {loss.size} further records of the true agent worse "
            f"than the truth, on average; in theory half a nat per parameter, and less than this in "
            f"{100 * level:g} % of cases",
        ),
        at_most(
            "behavior_distance",
            "5",
            ratio.max(),
            1.0,
            f"distance of the record from the inferred agent's mean behavior, over that which "
            f"{bounds['null_percentile']:g} % of {null.shape[0]} records of the "
            f"{behavior.attrs['null_agent']} agent do not exceed; largest of {ratio.size} statistics: "
            f"{behavior['statistic'].values[worst]}",
        ),
        at_most(
            "predictive_distance",
            "5",
            float(behavior["predictive_distance"]),
            float(
                np.percentile(behavior["replicate_predictive_distance"], bounds["null_percentile"])
            ),
            f"{bounds['null_percentile']:g} % of the inferred agent's {behavior.sizes['replicate']} "
            f"simulations are closer to their mean in all {behavior.sizes['checked']} statistics "
            f"together; p = {float(behavior['predictive_p_together']):.3f}",
        ),
    ]
