"""Panel of Figure 3: estimates with their intervals, posterior, truth and world beside them."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from inverse_rational_control import plotting as style

__all__ = ["exists", "panel_estimates", "usable"]

_POSTERIOR_BESIDE = 0.18  # of an estimate, in places


def panel_estimates(
    fit: xr.Dataset, ax: Axes, names: tuple[str, ...], drawn: xr.Dataset | None = None
) -> None:
    """Draw estimates with intervals, beside each posterior, true and the world's value, where known."""
    names = tuple(name for name in names if exists(fit).sel(parameter=name))
    places = np.arange(len(names))
    chosen = fit.sel(parameter=list(names))
    estimate = chosen["estimate"].values
    lower, upper = chosen["interval_lower"].values, chosen["interval_upper"].values
    bar = {"fmt": "o", "markersize": 3.6, "elinewidth": 1.1, "capsize": 2.0}
    finite = np.isfinite(lower) & np.isfinite(upper)
    ax.errorbar(
        places[finite],
        estimate[finite],
        yerr=np.maximum([(estimate - lower)[finite], (upper - estimate)[finite]], 0),
        color=style.INFERRED,
        **bar,
    )
    # Without an interval, which neither information nor profile likelihood gave: an open marker.
    ax.plot(
        places[~finite], estimate[~finite], "o", ms=4, mfc="white", mec=style.INFERRED, zorder=3
    )
    if drawn is not None:
        posterior = drawn.sel(parameter=list(names))
        ends = [posterior[f"interval_{side}"].values for side in ("lower", "upper")]
        middle = posterior["median"].values
        apart = [np.maximum(middle - ends[0], 0), np.maximum(ends[1] - middle, 0)]
        ax.errorbar(
            places + _POSTERIOR_BESIDE,
            middle,
            yerr=apart,
            color=style.REFERENCE,
            **bar | {"fmt": "s", "markersize": 3.0},
        )
    if "truth" in fit:
        ax.plot(places - 0.18, chosen["truth"], "*", ms=6, mfc="white", mec=style.TRUE, mew=0.8)
    if "world" in fit:
        known = [name for name in names if name in fit["world_parameter"].values]
        ax.plot(
            [names.index(name) + (0.18 if drawn is None else 0.36) for name in known],
            fit["world"].sel(world_parameter=known),
            "D",
            ms=3.6,
            mfc=style.WORLD,
            mec="none",
        )
    ax.axhline(0, color=style.REFERENCE, linewidth=0.5, zorder=0)
    ax.set_xticks(places, [style.SYMBOLS[name] for name in names])
    ax.tick_params(axis="x", labelsize=9, length=0)
    ax.set_xlim(-0.55, len(names) - 0.45)
    shown = np.concatenate([estimate, lower[finite], upper[finite]])
    if shown.min() >= 0:
        ax.set_ylim(bottom=0)


def usable(parameter_posterior: xr.Dataset | None) -> xr.Dataset | None:
    """A posterior that has something to report, else None."""
    if parameter_posterior is None or parameter_posterior["status"] == "not_converged":
        return None
    return parameter_posterior


def exists(fit: xr.Dataset) -> xr.DataArray:
    """Which parameters the model at hand has."""
    return fit["interval_kind"].astype(str) != "absent"
