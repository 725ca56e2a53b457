"""Baselines, models of another kind: what the study asks of one, and where each is found.

A baseline named in `alternative_models.BASELINES` is the module of that name in this package. It holds
`baseline(task, options)`, which makes a `Baseline` from the section `alternatives` of the configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from inverse_rational_control.alternative_models import BASELINES
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = ["Baseline", "FittedBaseline", "baselines"]


class FittedBaseline(Protocol):
    """A baseline with the values that one record gave to its parameters."""

    converged: bool
    #: Log of the record's probability under the baseline and its own prior, nats; NaN for none.
    log_evidence: float

    def log_likelihood(self, record: Record) -> float:
        """Log-likelihood of the actions of any record, nats."""

    def simulate(self, world: np.ndarray, n_steps: int, rng: np.random.Generator) -> Record:
        """Simulate one session in a world with parameters `world`, shape (6,)."""


class Baseline(Protocol):
    """A model that has no agent in it."""

    #: Number of its identifiable parameters.
    n_parameters: int

    def fit(self, record: Record) -> FittedBaseline:
        """Fit a record by maximum likelihood."""


def baselines(task: Task, options: Mapping[str, Any]) -> dict[str, Baseline]:
    """All baselines by name.

    Parameters
    ----------
    task : Task
    options : mapping
        The section `alternatives` of the configuration.
    """
    modules = {name: import_module(f"{__package__}.{name}") for name in BASELINES}
    return {name: module.baseline(task, options) for name, module in modules.items()}
