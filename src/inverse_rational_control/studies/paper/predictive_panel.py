"""Panel F of Figure 5: statistics of the record among those of the inferred agent's simulations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes

from inverse_rational_control import plotting as style
from inverse_rational_control.seconds import axis_of_time

__all__ = ["panel_predictive", "table_predictive"]

#: Percentiles of the replicates between which the bars lie.
_BAND = (2.5, 97.5)

#: Deviations further out than this are drawn at the border.
_REACH = 5.0

_SHORT = {
    "share of steps: ": "",
    "interval between ": "",
    " % quantile": "%",
    "autocorrelation of place: ": "same place, ",
    " per visit to a box": " per visit",
    "switches of box after an unrewarded push": "switches after no food",
}


def _scaled(behavior: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Record (statistics,) and replicates (R, statistics), mean 0 and deviation 1 over replicates."""
    replicates = behavior["replicated"].transpose("replicate", "checked").values
    known = np.isfinite(replicates)
    filled, count = np.where(known, replicates, 0.0), np.maximum(known.sum(0), 1)
    mean = filled.sum(0) / count
    deviation = np.sqrt((np.where(known, filled - mean, 0.0) ** 2).sum(0) / count)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (behavior["observed"].values - mean) / deviation, (replicates - mean) / deviation


def _lag_in(name: str, width: float, unit: str) -> str:
    """A statistic's name with its lag, if it has one, in seconds where a step's width is known."""
    before, _, lag = name.rpartition(": ")
    if unit != "s" or not lag.endswith(" steps"):
        return name
    return f"{before}: {float(lag.removesuffix(' steps')) * width:g} s"


def panel_predictive(behavior: xr.Dataset, ax: Axes) -> None:
    """Draw every statistic of the record over the central share of its replicates, with its p-value."""
    observed, replicates = _scaled(behavior)
    places = np.arange(observed.size)
    known = np.isfinite(replicates).any(0)
    lower, upper = np.full((2, observed.size), np.nan)
    lower[known], upper[known] = np.nanpercentile(replicates[:, known], _BAND, axis=0)
    ax.bar(places, upper - lower, 0.62, lower, color=style.INFERRED, alpha=0.25, lw=0)
    ax.axhline(0.0, color=style.INFERRED, lw=1.0)
    ax.plot(places, np.clip(observed, -_REACH, _REACH), "o", ms=3.2, color=style.TRUE, mew=0)
    for place, p_value in zip(places, behavior["predictive_p"].values, strict=True):
        said = "–" if np.isnan(p_value) else _among(p_value, behavior.sizes["replicate"], ".2f", "")
        ax.text(place, 1.01 * _REACH, said, ha="center", va="bottom", fontsize=6)
    ax.text(-0.75, 1.01 * _REACH, "p", ha="right", va="bottom", fontsize=6, style="italic")
    labels = []
    for name in behavior["checked"].values:
        label = _lag_in(str(name), *axis_of_time(behavior.attrs))
        for long, short in _SHORT.items():
            label = label.replace(long, short)
        labels.append(label)
    ax.set_xticks(places, labels, rotation=38, ha="right", rotation_mode="anchor", fontsize=6.5)
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.7, observed.size - 0.3)
    ax.set_ylim(-_REACH, _REACH)
    ax.set_ylabel("deviation (SD)")
    together = float(behavior["predictive_p_together"])
    said = _among(together, behavior.sizes["replicate"], ".3f", "= ")
    ax.set_title(f"all statistics together: p {said}", pad=13)


def _among(p_value: float, n_replicates: int, form: str, equal: str) -> str:
    """A p-value; none of the replicates is less than one of them."""
    least = 1.0 / max(n_replicates, 1)
    return f"{equal}{p_value:{form}}" if p_value >= least else f"< {least:.1g}"


def table_predictive(behavior: xr.Dataset) -> pd.DataFrame:
    """Tabulate the panel, a row per statistic."""
    replicates = behavior["replicated"].transpose("replicate", "checked").to_pandas()
    return pd.DataFrame(
        {
            "item": behavior["checked"].values,
            "recorded": behavior["observed"].values,
            "inferred_mean": replicates.mean().values,
            "inferred_lower": replicates.quantile(_BAND[0] / 100).values,
            "inferred_upper": replicates.quantile(_BAND[1] / 100).values,
            "predictive_p": behavior["predictive_p"].values,
            "predictive_p_together": float(behavior["predictive_p_together"]),
        }
    )
