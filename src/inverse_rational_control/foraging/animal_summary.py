"""One animal's results for people: what the model misses, what describes it, then its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from statistics import NormalDist
from textwrap import wrap

import numpy as np
import pandas as pd

from inverse_rational_control.foraging.misfit import MISSED
from inverse_rational_control.parameters import WORLD_PARAMETERS

__all__ = ["animal_summary", "parameters_of_animals", "shown"]

_WIDTH = 88
_NOT_COMPARED = "which description is best was not asked (descriptions.enabled)"
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font-family: sans-serif; margin: 1.5em; background: white; color: black; }}
pre {{ font-size: 14px; }}
table {{ border-collapse: collapse; font-size: 14px; }}
th, td {{ text-align: left; border: 0; padding: 0.2em 0.8em; }}
tbody tr:nth-child(odd) {{ background: #eeeeee; }}
</style></head>
<body>
{body}
</body>
</html>
"""
_NEAREST = "they are those of the agent of this kind that is most like the animal"
_REPORT = {
    "converged": "Report the medians and intervals below{warning}.",
    "rough": "Report the medians below{warning}; the ends of the intervals are approximate.",
    "not_converged": "The posterior has not converged: what stands below is maximum likelihood.",
    "not drawn": "No posterior was drawn from: what stands below is maximum likelihood.",
}


def animal_summary(
    name: str,
    parameters: pd.DataFrame,
    world: np.ndarray,
    misfit: Sequence[str],
    described: tuple[str, str] | None,
    remarks: Sequence[str] = (),
) -> str:
    """Lay out what a person should know of one animal, the most important first.

    Parameters
    ----------
    name : str
    parameters : DataFrame
        As `inference.carried.parameter_rows`.
    world : ndarray, shape (6,)
        The world's parameters, beside the agent's beliefs of them.
    misfit : sequence of str
        As `misfit_sentences`.
    described : pair of str or None
        `Comparison.verdict` and `Comparison.details`; None if nothing was compared.
    remarks : sequence of str
        Of the record, the fit and the posterior.

    Returns
    -------
    str
        Lines of at most 88 characters, the table's apart, with a newline at the end.
    """
    status = parameters["posterior_status"].iloc[0]
    first, *others = misfit
    verdict, *details = described or (_NOT_COMPARED,)
    warning = f", with the warning that {_NEAREST}" if others or first.startswith(MISSED) else ""
    said = [
        f"{name}: {first}; {verdict}.",
        *(["What it does differently from agents with the inferred parameters:"] if others else []),
        *(f"- {each}" for each in others),
        *details,
        f"{_REPORT[status].format(warning=warning)} Fit: {parameters['fit_status'].iloc[0]}.",
    ]
    lines = [line for words in said for line in wrap(words, _WIDTH, subsequent_indent="  ")]
    lines += ["", *_table(parameters, world, status).splitlines()]
    if remarks:
        lines += ["", "Remarks"]
        lines += [
            line for words in remarks for line in wrap(f"- {words}", _WIDTH, subsequent_indent="  ")
        ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _columns(status: str) -> tuple[str, str, str, str]:
    """Columns of what to report: value, both ends of its interval, and the interval's level."""
    if status in ("converged", "rough"):
        return "posterior_median", "posterior_lower", "posterior_upper", "posterior_level"
    return "estimate", "interval_lower", "interval_upper", "interval_level"


def _table(parameters: pd.DataFrame, world: np.ndarray, status: str) -> str:
    value, lower, upper, level = (parameters[name] for name in _columns(status))
    known = dict(zip((each.name for each in WORLD_PARAMETERS), world, strict=True))
    table = pd.DataFrame(
        {
            "parameter": parameters["parameter"],
            "unit": parameters["unit"].replace("1", ""),
            "value": value.map("{:.4g}".format),
            f"{100 * level.iloc[0]:g} % interval": [
                f"{low:.4g} to {high:.4g}" if np.isfinite(low) else "held"
                for low, high in zip(lower, upper, strict=True)
            ],
            "world": [
                f"{known[name]:.4g}" if name in known else "" for name in parameters["parameter"]
            ],
            "": np.where(parameters["at_bound"], "at a bound", ""),
        }
    )
    return table.to_string(index=False)


def parameters_of_animals(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Parameters of several animals or sessions side by side, with how they differ.

    Parameters
    ----------
    tables : dict of str to DataFrame
        By animal, as `inference.carried.parameter_rows`.

    Returns
    -------
    DataFrame
        A row per animal and parameter: value and interval (posterior, or else maximum likelihood), the
        mean over animals weighted by precision (from the intervals' widths), and how many standard
        errors the animal is away from the mean of the others (from the sides of the intervals that face
        each other, which of one at a bound differ); empty for one animal.
    """
    rows, reaches = [], []
    for name, table in tables.items():
        value, lower, upper, level = (
            table[column] for column in _columns(table["posterior_status"].iloc[0])
        )
        # Six digits, which the table does not show either.
        reach = round(NormalDist().inv_cdf(0.5 + level.iloc[0] / 2.0), 6)
        reaches.append(pd.Series(reach, table.index))
        rows.append(
            pd.DataFrame(
                {
                    "animal": name,
                    "parameter": table["parameter"],
                    "unit": table["unit"],
                    "value": value,
                    "lower": lower,
                    "upper": upper,
                    "posterior_status": table["posterior_status"],
                    "fit_status": table["fit_status"],
                }
            )
        )
    joined = pd.concat(rows, ignore_index=True)
    reach = pd.concat(reaches, ignore_index=True)
    joined["mean"], joined["from_others"] = np.nan, np.nan
    for _, of_one in joined.groupby("parameter"):
        numbers = (of_one[name].to_numpy(float) for name in ("value", "lower", "upper"))
        mean, away = _mean_and_distances(*numbers, reach[of_one.index].to_numpy())
        joined.loc[of_one.index, "mean"] = mean
        joined.loc[of_one.index, "from_others"] = away
    return joined


def _mean_and_distances(value, lower, upper, reach):
    """Mean by precision, and each one's distance from the mean of the others in standard errors."""
    width = (upper - lower) / (2 * reach)
    known = np.isfinite(width) & (width > 0)
    weight = np.where(known, 1.0, 0.0) / np.where(known, width, 1.0) ** 2
    mean = weight @ np.where(known, value, 0.0) / weight.sum() if known.any() else np.nan
    away = np.full(len(value), np.nan)
    for k in np.flatnonzero(known):
        others = np.where(np.arange(len(value)) == k, 0.0, weight)
        if not others.any():
            continue
        apart = value[k] - others @ np.where(known, value, 0.0) / others.sum()
        # Down from what is above, up from what is below.
        facing = np.where(value > value[k], value - lower, upper - value) / reach
        facing[k] = (value[k] - lower[k] if apart > 0 else upper[k] - value[k]) / reach[k]
        error = np.where(known & (facing > 0), facing, width)
        of_mean = np.sum((others * np.where(known, error, 0.0)) ** 2) / others.sum() ** 2
        away[k] = apart / np.sqrt(error[k] ** 2 + of_mean)
    return mean, away


def shown(title: str, content: str | pd.DataFrame) -> str:
    """Lay out a text or a table as a page, which a report shows where it only hands on other files.

    Parameters
    ----------
    title : str
    content : str or DataFrame

    Returns
    -------
    str
        HTML that needs no other file.
    """
    if isinstance(content, str):
        body = f"<pre>{escape(content)}</pre>"
    else:
        body = content.to_html(index=False, float_format="{:.4g}".format, na_rep="", border=0)
    return _PAGE.format(title=escape(title), body=body)
