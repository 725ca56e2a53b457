"""What the model misses of an animal's behavior, in words: the posterior predictive check read aloud."""

from __future__ import annotations

import numpy as np
import xarray as xr

from inverse_rational_control.seconds import axis_of_time

__all__ = ["MISSED", "misfit_sentences"]

#: What the first sentence begins with where there is a misfit.
MISSED = "the model misses something"

#: p-values at and below which the model is said to miss something.
_SMALL = 0.01
_SHOWN = 5


def misfit_sentences(behavior: xr.Dataset) -> list[str]:
    """Say whether agents with the inferred parameters behave like the animal, and where they do not.

    Parameters
    ----------
    behavior : xarray.Dataset
        Kind behavior.

    Returns
    -------
    list of str
        First a clause, whether there is a misfit; then up to five statistics with p <= 0.01, the worst
        first: what was observed, and what 95 % of the agents show.
    """
    together = float(behavior["predictive_p_together"])
    p_values = behavior["predictive_p"].values
    small = [k for k in np.argsort(p_values, kind="stable") if p_values[k] <= _SMALL]
    n_replicates = behavior.sizes["replicate"]
    least = f"{_shown(together, n_replicates)}, of {n_replicates} simulated records"
    if together <= _SMALL:
        said = [f"{MISSED} that this animal does ({least})"]
    else:
        said = [f"agents with the inferred parameters behave like this animal ({least})"]
        if small:
            said[0] += ", but for single statistics"
    for k in small[:_SHOWN]:
        observed = float(behavior["observed"][k])
        lower, upper = np.nanquantile(behavior["replicated"].values[:, k], [0.025, 0.975])
        name, (scale, unit) = str(behavior["checked"].values[k]), (1.0, "")
        if name.startswith("interval between"):
            scale, unit = axis_of_time(behavior.attrs)
            unit = f" {unit}" if unit == "s" else ""
        word = "more" if observed > upper else "less" if observed < lower else "other"
        said.append(
            f"{name}: {scale * observed:.3g}{unit}, {word} than the agents' {scale * lower:.3g} to "
            f"{scale * upper:.3g}{unit} ({_shown(p_values[k], n_replicates)})"
        )
    if len(small) > _SHOWN:
        said.append(f"and {len(small) - _SHOWN} further statistics")
    return said


def _shown(p_value: float, n_replicates: int) -> str:
    """A p-value in words; one of zero is less than one replicate of them all."""
    return f"p = {p_value:.2g}" if p_value > 0 else f"p < {1.0 / n_replicates:.2g}"
