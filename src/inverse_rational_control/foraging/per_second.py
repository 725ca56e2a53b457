"""Tables of parameters with what is per step stated per second too (docs/model.md section 1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from inverse_rational_control import seconds
from inverse_rational_control.task import Task

__all__ = ["with_seconds"]

_COLUMNS = (
    *("posterior_median", "posterior_lower", "posterior_upper"),
    *("estimate", "interval_lower", "interval_upper", "truth"),
)


def _converted(parameter: str, unit: str, values: np.ndarray, step_width: float):
    """Unit and values in seconds; None where time does not enter."""
    if unit == "1/step":
        return "1/s", seconds.rate_per_second(values, step_width)
    if parameter == "discount":
        return "s (horizon)", -step_width / np.log(values)
    if parameter == "diffusion":
        return "belief/s^0.5", values / np.sqrt(step_width)
    return None


def with_seconds(table: pd.DataFrame, task: Task) -> pd.DataFrame:
    """Add columns `..._in_seconds` and their unit; the table as it is where no step width is known.

    Parameters
    ----------
    table : pandas.DataFrame
        A row per parameter, with the columns `parameter`, `unit` and values per step.
    task : Task
        Gives the step width.
    """
    if task.step_width is None:
        return table
    table = table.copy()
    columns = [name for name in _COLUMNS if name in table]
    units, rows = [], []
    for _, row in table.iterrows():
        values = row[columns].to_numpy(dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = _converted(row["parameter"], row["unit"], values, task.step_width)
        units.append("" if found is None else found[0])
        rows.append(np.full(len(columns), np.nan) if found is None else found[1])
    table["step_width"] = task.step_width
    table["unit_in_seconds"] = units
    for name, values in zip(columns, np.transpose(rows), strict=True):
        table[f"{name}_in_seconds"] = values
    return table
