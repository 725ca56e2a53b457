"""Datasets made from their contracts: plausible in shape, every number made up.

They serve tests of whatever only reads datasets (figures, criteria). A test gives the sizes of the
dimensions and the variables that it is about; all others are filled in from the contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from inverse_rational_control.storage.contract import Contract, Variable


def _made_up(variable: Variable, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    if variable.type == "f":
        return rng.uniform(0.1, 0.9, shape)
    if variable.type == "i":
        return rng.integers(0, 2, shape)
    if variable.type == "b":
        return rng.random(shape) < 0.5
    return np.full(shape, "words", dtype=object)


def filled(
    contract: Contract,
    coordinates: Mapping[str, Any],
    given: Mapping[str, Any] | None = None,
    optional: Iterable[str] = (),
    attributes: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> xr.Dataset:
    """Make a dataset of a kind.

    Parameters
    ----------
    contract : Contract
    coordinates : mapping of str to int or sequence
        Size or labels of every dimension.
    given : mapping of str to array_like, optional
        Variables that the test is about, of the contract's dimensions.
    optional : iterable of str
        Optional variables to fill in as well.
    attributes : mapping, optional
        Attributes; those that the contract wants and that are not given are empty.
    seed : int
    """
    rng = np.random.default_rng(seed)
    labels = {
        name: contract.labels.get(name, range(size)) if isinstance(size, int) else size
        for name, size in coordinates.items()
    }
    labels = {name: np.asarray(names) for name, names in labels.items()}
    given = dict(given or {})
    variables = {}
    for name, variable in contract.variables.items():
        if name not in contract.required and name not in optional and name not in given:
            continue
        shape = tuple(len(labels[dim]) for dim in variable.dims)
        values = np.asarray(given.pop(name)) if name in given else _made_up(variable, shape, rng)
        variables[name] = (variable.dims, values)
    assert not given, f"not in the contract: {sorted(given)}"
    used = {dim for dims, _ in variables.values() for dim in dims}
    attributes = dict.fromkeys(contract.attributes, "") | dict(attributes or {})
    dataset = xr.Dataset(
        variables, {name: values for name, values in labels.items() if name in used}, attributes
    )
    contract.check(dataset.assign_attrs(kind=contract.kind), "made-up dataset")
    return dataset
