"""What later steps take of a posterior: draws to carry on, and a table to report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from inverse_rational_control.inference.intervals import IntervalKind
from inverse_rational_control.inference.posterior_dataset import POSTERIOR, thinned_draws
from inverse_rational_control.storage.contract import read_groups

__all__ = ["ESTIMATE_ALONE", "Carried", "parameter_rows", "read_carried"]

#: What is said where no posterior was drawn from.
ESTIMATE_ALONE = "the estimate alone"

#: Status of a posterior whose draws are not carried on.
_UNUSABLE = "not_converged"


@dataclass(frozen=True)
class Carried:
    """Parameters that later steps are made with.

    Attributes
    ----------
    draws : ndarray, shape (n_draws, n), or None
        Natural coordinates; None where the estimate must do.
    said : str
        Which they are, in words.
    """

    draws: np.ndarray | None
    said: str


def read_carried(path: str | Path | None, n_draws: int) -> Carried:
    """Draws to carry on, unless none were made or they have not converged.

    Parameters
    ----------
    path : str or Path, or nothing
        Of a posterior, if one was drawn from.
    n_draws : int

    Raises
    ------
    DatasetError
        As `read_groups`.
    """
    if not path:
        return Carried(None, ESTIMATE_ALONE)
    groups = read_groups(path, POSTERIOR)
    status = str(groups[""]["status"].values)
    if status == _UNUSABLE:
        return Carried(None, f"{ESTIMATE_ALONE}, as the posterior has not converged")
    return Carried(
        thinned_draws(path, groups, n_draws), f"{n_draws} draws from the posterior ({status})"
    )


def parameter_rows(fit: xr.Dataset, posterior: xr.Dataset | None) -> pd.DataFrame:
    """What to report of the parameters, a row each: posterior first, maximum likelihood beside it.

    Parameters
    ----------
    fit : xarray.Dataset
        Kind fit.
    posterior : xarray.Dataset, optional
        Summary, kind parameter_posterior; without, its columns are empty.

    Returns
    -------
    pandas.DataFrame
        Without the parameters that the model at hand does not have.
    """
    by_posterior = {
        "posterior_median": "median",
        "posterior_lower": "interval_lower",
        "posterior_upper": "interval_upper",
        "posterior_r_hat": "r_hat",
        "posterior_ess_bulk": "ess_bulk",
        "posterior_ess_tail": "ess_tail",
    }
    drawn = posterior is not None
    table = {"parameter": fit["parameter"].values, "unit": fit["unit"].values}
    table |= {
        column: posterior[name].values if drawn else np.nan for column, name in by_posterior.items()
    }
    table["posterior_level"] = float(posterior.attrs["interval_level"]) if drawn else np.nan
    table["posterior_status"] = str(posterior["status"].values) if drawn else "not drawn"
    table |= {
        "estimate": fit["estimate"].values,
        "standard_error": fit["standard_error"].values,
        "interval_lower": fit["interval_lower"].values,
        "interval_upper": fit["interval_upper"].values,
        "interval_level": float(fit.attrs["confidence_level"]),
        "at_bound": fit["parameter_at_bound"].values.astype(bool),
        "fit_status": str(fit["status"].values),
    }
    if "truth" in fit:
        table["truth"] = fit["truth"].values
    exists = fit["interval_kind"].values.astype(str) != IntervalKind.ABSENT
    return pd.DataFrame(table)[exists].reset_index(drop=True)
