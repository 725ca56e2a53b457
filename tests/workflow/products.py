"""What runs of the small configurations make, and under which contracts."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import xarray as xr

import inverse_rational_control
from inverse_rational_control.storage.contract import Contract

TINY = Path("results/tiny")
NUMBERS = (
    "paper/fit.nc",
    "paper/surface.nc",
    "paper/posterior.nc",
    "paper/behavior.nc",
    "paper/models.nc",
    "recovery/summary.nc",
)
#: Every contract of the project, by kind.
CONTRACTS = {
    value.kind: value
    for module in pkgutil.walk_packages(
        inverse_rational_control.__path__, f"{inverse_rational_control.__name__}."
    )
    if module.name.endswith(("dataset", "search_again"))
    for value in vars(import_module(module.name)).values()
    if isinstance(value, Contract)
}


def contract_of(path: Path) -> Contract:
    """Contract of a NetCDF file, by the kind that it says it is."""
    with xr.open_dataset(path) as opened:
        return CONTRACTS[opened.attrs["kind"]]


def datasets(folder: Path) -> dict[str, Path]:
    """Every NetCDF file below a folder, by relative path."""
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*.nc"))}
