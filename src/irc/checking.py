"""Criteria that finished results must meet; each with the number found, the bound and the figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.special import chdtri, ndtri

from irc.parameters import natural, unconstrained

__all__ = ["Criterion", "paper_criteria", "recovery_criteria"]


@dataclass(frozen=True)
class Criterion:
    """One judgement.

    Attributes
    ----------
    name : str
    figure : str
        Where a reader sees it.
    found : float
    bound : str
        What is allowed, in words and numbers.
    passed : bool
    why : str
        Where the bound comes from.
    """

    name: str
    figure: str
    found: float
    bound: str
    passed: bool
    why: str


def _at_least(name, figure, found, bound, why):
    return Criterion(name, figure, float(found), f">= {bound:g}", bool(found >= bound), why)


def _at_most(name, figure, found, bound, why):
    return Criterion(name, figure, float(found), f"<= {bound:g}", bool(found <= bound), why)


def _within(name, figure, found, low, high, why):
    bound = f"{low:g} to {high:g}"
    return Criterion(name, figure, float(found), bound, bool(low <= found <= high), why)


def _largest_fall(fit: xr.Dataset) -> float:
    """Largest fall of the log-likelihood between two iterations of any start, nats."""
    falls = -np.diff(fit["history_log_likelihood"].values, axis=-1)
    return float(np.nanmax(falls, initial=-np.inf)) if falls.size else -np.inf


def paper_criteria(
    fit: xr.Dataset,
    learning: xr.Dataset,
    posterior: xr.Dataset,
    behavior: xr.Dataset,
    models: xr.Dataset,
    bounds: Mapping,
) -> list[Criterion]:
    """Judge the paper's one agent (Figures 3 to 5).

    Parameters
    ----------
    fit, learning, posterior, behavior, models : xarray.Dataset
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
        _at_least(
            "fit_likelihood_above_truth",
            "3",
            float(fit["log_likelihood"] - fit["truth_log_likelihood"]),
            0.0,
            "a maximum-likelihood estimate cannot be less likely than the truth",
        ),
        _at_most(
            "truth_likelihood_ratio",
            "3",
            2.0 * float(fit["log_likelihood"] - fit["truth_log_likelihood"]),
            float(chdtri(fit.sizes["parameter"], 1.0 - bounds["interval_level"])),
            f"2 [l(estimate) - l(truth)]; {100 * bounds['interval_level']:g} % of chi-square with one "
            "degree of freedom per parameter",
        ),
        _at_most(
            "planner_attracting",
            "3",
            float(fit["planner_radius"]),
            1.0,
            "an unstable fixed point is not the agent's plan",
        ),
        _at_most(
            "fit_history_monotone",
            "3",
            max(_largest_fall(fit), _largest_fall(learning)),
            bounds["monotone_tolerance"],
            "the likelihood never falls, at any iteration of any start",
        ),
    ]
    ends = fit["end_log_likelihood"].values[fit["start_converged"].values]
    found.append(
        _at_most(
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
            _at_least(
                f"belief_correlation_box_{box}",
                "4",
                float(part["correlation"]),
                bounds["belief_correlation_minimum"],
                "decoded against true beliefs",
            )
        )
        found.append(
            _at_most(
                f"belief_calibration_box_{box}",
                "4",
                abs(float(part["true_model_coverage"] - part["true_model_expected"])),
                bounds["credible_tolerance"],
                "decoding with the true parameters, 90 % credible sets hold the true belief as often "
                "as they say; with the estimates the difference is "
                f"{float(part['credible_coverage'] - part['credible_expected']):.3f}",
            )
        )
    for statistic in behavior["statistic"].values:
        null = behavior["null_distance"].sel(statistic=statistic).values
        null = null[np.isfinite(null)]
        found.append(
            _at_most(
                f"{statistic}_distance",
                "5",
                float(behavior["distance"].sel(statistic=statistic)),
                float(np.percentile(null, bounds["null_percentile"])) if null.size else np.nan,
                f"{bounds['null_percentile']:g} % of {null.size} records of the "
                f"{behavior.attrs['null_agent']} agent are closer to their own mean",
            )
        )
    found.append(
        _at_least(
            "value_function_correlation",
            "5",
            float(models["value_correlation"]),
            bounds["value_correlation_minimum"],
            "the true and the inferred model have similar value functions",
        )
    )
    return found


def _truth_inside(fit: xr.Dataset, level: float) -> Criterion:
    """All true parameters inside their intervals, which together hold at the given level.

    With ten intervals of that level each, one in a hundred correct fits would fail by chance.
    """
    each = 1.0 - (1.0 - level) / fit.sizes["parameter"]
    eta = unconstrained(fit["estimate"].values)
    spread = np.full(eta.size, np.nan)
    if bool(fit["information_positive_definite"]):
        spread = np.sqrt(np.diag(np.linalg.inv(fit["information"].values)))
    reach = ndtri(0.5 + each / 2.0) * spread
    truth = fit["truth"].values
    outside = ~((natural(eta - reach) <= truth) & (truth <= natural(eta + reach)))
    named = ", ".join(fit["parameter"].values[outside]) or "none"
    return _at_most(
        "truth_outside_interval",
        "3",
        int(outside.sum()),
        0,
        f"outside their {100 * each:g} % interval ({100 * level:g} % for all together): {named}",
    )


def recovery_criteria(summary: xr.Dataset, fits: list[xr.Dataset], bounds: Mapping):
    """Judge the recovery study (Figure 6).

    Parameters
    ----------
    summary : xarray.Dataset
        Kind `recovery`.
    fits : list of xarray.Dataset
        Every batch of fits, kind `fit` with a seed dimension.
    bounds : mapping
        The `check` section of the configuration.
    """
    slope_from = int(summary.attrs["slope_from"])
    long = summary.sel(n_steps=[n for n in summary["n_steps"].values if n >= slope_from])
    settled = np.isin(long["status"].values.astype(str), ("converged", "at_bound"))
    n_long = settled.size
    found = [
        _at_most(
            "recovery_history_monotone",
            "6",
            max(_largest_fall(fit) for fit in fits),
            bounds["monotone_tolerance"],
            "the likelihood never falls, at any iteration of any fit",
        ),
        _within(
            "recovery_slope",
            "6",
            float(summary["pooled_slope"]),
            *bounds["slope_range"],
            f"theory: -0.5; standard error {float(summary['pooled_slope_standard_error']):.3f}, "
            f"over lengths from {slope_from}",
        ),
        _at_least(
            "recovery_converged_share",
            "6",
            settled.mean(),
            bounds["converged_share_minimum"],
            f"of {n_long} fits from {slope_from} steps on; of these at a bound: "
            f"{int(long['at_bound_count'].sum())}",
        ),
        _at_most(
            "recovery_likelihood_below_truth",
            "6",
            int((~(long["likelihood_ratio"].values >= 0)).sum()),
            0,
            f"fits less likely than the truth, of {n_long} from {slope_from} steps on",
        ),
    ]
    judged = bounds["likelihood_ratio_n_steps"]
    if judged in summary["n_steps"].values:
        part = summary.sel(n_steps=judged)
        ratio = part["likelihood_ratio"].values
        error = ratio.std(ddof=1) / np.sqrt(ratio.size)
        found.append(
            _within(
                "recovery_likelihood_ratio",
                "6",
                ratio.mean(),
                *bounds["likelihood_ratio_range"],
                f"theory: 10, one per parameter; standard error {error:.2f} over "
                f"{ratio.size} seeds of {judged} steps",
            )
        )
        level = float(summary.attrs["confidence_level"])
        error = float(part["coverage_standard_error"])
        reach = bounds["coverage_standard_errors"] * error
        found.append(
            _within(
                "recovery_coverage",
                "6",
                float(part["coverage"]),
                level - reach,
                min(1.0, level + reach),
                f"{100 * level:g} % intervals at {judged} steps; standard error {error:.3f} over "
                "seeds",
            )
        )
    return found
