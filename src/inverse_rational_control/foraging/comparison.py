"""Descriptions of one record compared: which is best, and how surely.

Source: docs/model.md section 13.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.alternative_models import PAPER
from inverse_rational_control.parameters import EXTRA_PARAMETERS
from inverse_rational_control.statistics import error_of_sum

__all__ = ["DESCRIPTIONS", "Comparison"]

#: Extra parameters of each description that is compared by default.
DESCRIPTIONS: Mapping[str, tuple[str, ...]] = {
    PAPER: (),
    **{parameter.name: (parameter.name,) for parameter in EXTRA_PARAMETERS},
    "all": tuple(parameter.name for parameter in EXTRA_PARAMETERS),
}
# An absent parameter's held-out gain is about (chi-square of one - 2) / 2 nats: beyond 3 in 0.5 %.
_LEAST_NATS = 3.0
_ERRORS = 2.0


@dataclass(frozen=True)
class Comparison:
    """Descriptions of one record, scored on steps that were held out when they were fitted.

    Attributes
    ----------
    names : tuple of str
        Of the descriptions, baselines last.
    n_parameters : ndarray of int, shape (descriptions,)
        Free ones.
    part : ndarray of int, shape (T,)
        Which part each step is of.
    step_log_likelihood : ndarray, shape (descriptions, T)
        Log-probability of each action given all that was recorded before it, fitted to the other parts;
        nats; NaN where a fit led nowhere.
    estimates : dict of str to ndarray, shape (parts, n)
        By description, natural coordinates, in the order of `parameters.agent_parameters`.
    statuses : dict of str to tuple of str
        Of each part's fit.
    alternatives : tuple of str
        Those of the descriptions that are alternative models; each counts as simpler than others with as
        many free parameters, which it bounds or gives a prior.
    """

    names: tuple[str, ...]
    n_parameters: np.ndarray
    part: np.ndarray
    step_log_likelihood: np.ndarray
    estimates: dict[str, np.ndarray]
    statuses: dict[str, tuple[str, ...]]
    alternatives: tuple[str, ...] = ()

    @property
    def mean(self) -> np.ndarray:
        """Held-out log-likelihood per step, nats, shape (descriptions,)."""
        return self.step_log_likelihood.mean(1)

    @property
    def best(self) -> str:
        """The simplest description, unless a less simple one is told apart from it as better.

        From the one with the fewest parameters on, each gives way to the simplest that is, until none
        is (see `told_apart`).
        """
        known = [
            name for name, mean in zip(self.names, self.mean, strict=True) if np.isfinite(mean)
        ]
        chosen = min(known, key=self._simplest_first, default=self.names[0])
        while better := [
            name
            for name in known
            if self._complexity(name) > self._complexity(chosen) and self.told_apart(name, chosen)
        ]:
            chosen = min(better, key=self._simplest_first)
        return chosen

    def difference(self, one: str, other: str) -> tuple[float, float]:
        """How far one is above another over all held-out steps, nats, and its standard error.

        The error is that of a sum over parts: steps of a part share one fit, and its estimate's error.
        """
        first, second = (self.step_log_likelihood[self.names.index(name)] for name in (one, other))
        by_part = np.bincount(self.part, weights=first - second)
        return float(by_part.sum()), float(error_of_sum(by_part))

    def told_apart(self, one: str, other: str) -> bool:
        """Whether one is above another by more than two standard errors and more than 3 nats.

        Two errors of few parts alone are often chance; so are held-out nats alone where fits differ much
        between parts.
        """
        return _told_apart(*self.difference(one, other))

    def verdict(self) -> str:
        """Which description is best, and whether the paper's model beats each baseline, in a clause."""
        of_paper = []
        for name in self.names:
            if name in self.estimates or name == PAPER:
                continue
            if self.told_apart(PAPER, name):
                verb = "beats"
            elif self.told_apart(name, PAPER):
                verb = "is beaten by"
            else:
                verb = "is not told apart from"
            of_paper.append(f"{verb} the {name} baseline")
        words, joined = f"described best by {self._in_words(self.best)}", " and ".join(of_paper)
        if not joined:
            return words
        subject = ", which" if self.best == PAPER else "; the paper's model"
        return f"{words}{subject} {joined}"

    def said(self) -> str:
        """The verdict and the details."""
        return f"{self.verdict()}. {self.details()}"

    def details(self) -> str:
        """How far the other descriptions are from the best, in sentences."""
        best, others = self.best, [name for name in self.names if name != self.best]
        others.sort(key=lambda name: self.difference(best, name)[0])
        apart = "; ".join(
            "{} {:+.1f} +- {:.1f}".format(
                self._in_words(name).removeprefix("the paper's model "),
                *self.difference(name, best),
            )
            for name in others
        )
        return (
            f"Log-likelihood of held-out steps, nats: {self._in_words(best)} "
            f"{self.mean[self.names.index(best)]:.3f} per step; over all {self.part.size} steps, more "
            f"or less than that: {apart}. A less simple one would be named if it had more by over "
            f"{_LEAST_NATS:g} nats and over twice the standard error."
        )

    def _complexity(self, name: str) -> tuple[int, bool]:
        return int(self.n_parameters[self.names.index(name)]), name not in self.alternatives

    def _simplest_first(self, name: str) -> tuple[int, bool, float]:
        return *self._complexity(name), -float(self.mean[self.names.index(name)])

    def _in_words(self, name: str) -> str:
        if name == PAPER:
            return "the paper's model"
        if name in self.alternatives:
            return f"the alternative model {name}"
        if name in self.estimates:
            extras = DESCRIPTIONS.get(name, (name,))
            said = " and ".join(extras) if len(extras) < 3 else "all extras"
            return f"the paper's model with {said}"
        return name


def _told_apart(gain: float, error: float) -> bool:
    return gain > max(_ERRORS * error, _LEAST_NATS)
