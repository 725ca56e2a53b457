"""Timing, ratios taken side by side, power laws, peak memory of a process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

__all__ = [
    "ROOT",
    "Measurement",
    "Target",
    "exponent",
    "median_seconds",
    "run_measured",
    "seconds",
    "settled_seconds",
    "side_by_side",
]

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Target:
    """What a measured value should be.

    Attributes
    ----------
    relation : {"at most", "at least", "within"}
        "within": no further than `tolerance` from `limit`.
    limit : float
        In the unit of the measured value.
    tolerance : float
        For "within" alone.
    """

    relation: str
    limit: float
    tolerance: float = 0.0

    def __str__(self):
        if self.relation == "within":
            return f"{self.limit:.4g} ± {self.tolerance:.4g}"
        return f"{self.relation} {self.limit:.4g}"

    def share(self, measured: float) -> float:
        """How much of what is allowed was used: met if at most 1."""
        if self.relation == "at most":
            if self.limit == 0:
                return 0.0 if measured == 0 else np.inf
            return measured / self.limit
        if self.relation == "at least":
            return self.limit / measured
        return abs(measured - self.limit) / self.tolerance


@dataclass(frozen=True)
class Measurement:
    """One row of the table.

    Attributes
    ----------
    quantity : str
    measured : float
    unit : str
    target : Target or None
    note : str
        What went into it, and what else to know.
    """

    quantity: str
    measured: float
    unit: str
    target: Target | None = None
    note: str = ""

    @property
    def share(self) -> float | None:
        """How much of what the target allows was used; None without a target."""
        return None if self.target is None else self.target.share(self.measured)

    @property
    def met(self) -> str:
        """Whether the target is met: yes, no, or empty without a target or a measured value."""
        if self.share is None or np.isnan(self.measured):
            return ""
        return "yes" if self.share <= 1.0 else "no"


def seconds(function: Callable[[], object]) -> float:
    """Wall time of one call."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def settled_seconds(function: Callable[[], object]) -> float:
    """Wall time of the second of two calls: caches hold what it needs, not what came before."""
    function()
    return seconds(function)


def median_seconds(functions: Sequence[Callable[[], object]], repetitions: int) -> np.ndarray:
    """Median wall time of each function.

    The functions take turns, so that a machine that changes its speed changes it for all; each time is
    that of `settled_seconds`.

    Returns
    -------
    ndarray, shape (len(functions),)
    """
    rounds = [[settled_seconds(function) for function in functions] for _ in range(repetitions)]
    return np.median(rounds, axis=0)


def side_by_side(
    one: Callable[[], float], other: Callable[[], float], repetitions: int
) -> tuple[np.ndarray, np.ndarray]:
    """Times of two things in turn: one, other, one, ..., other, one.

    Parameters
    ----------
    one, other : callable
        Each does its work once and returns the seconds it took.
    repetitions : int
        How often `other` runs.

    Returns
    -------
    one, other : ndarray, shape (repetitions,)
        Each time of `other`, and the mean of the two times of `one` around it.
    """
    first, second = [one()], []
    for _ in range(repetitions):
        second.append(other())
        first.append(one())
    around = np.array(first)
    return (around[1:] + around[:-1]) / 2.0, np.array(second)


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Exponent of the power law through the costs: least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def run_measured(module: str, *arguments: object) -> dict:
    """Run a module of the benchmarks in a process of its own.

    Returns
    -------
    dict
        `seconds` and `peak_bytes` of the whole process, start-up included.

    Raises
    ------
    RuntimeError
        If it failed.
    """
    launcher = [sys.executable, "-S", str(ROOT / "benchmarks" / "peak_memory.py")]
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]
    done = subprocess.run(
        [*launcher, *command], stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT
    )
    account = json.loads(done.stdout)
    if account["exit_code"]:
        raise RuntimeError(f"{' '.join(command[1:])}: exit code {account['exit_code']}")
    return account
