"""What a record tells about the parameters and what it does not: weakest directions (Figure 9).

Eigen-analysis of the observed information. Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.coordinates import Coordinates
from inverse_rational_control.inference.information import is_positive_definite
from inverse_rational_control.parameter_space import FULL_SPACE

__all__ = [
    "Spectrum",
    "correlation",
    "describe_direction",
    "information_spectrum",
    "profile_names",
    "standardized",
    "weakest_directions_text",
]


# A sentence names the parameters that hold this share of a direction's squared length.
_SHARE_NAMED = 0.8


def profile_names(parameters: Iterable[str]) -> tuple[str, ...]:
    """What is profiled, in order: every parameter, by name, then the weakest direction."""
    return (*map(str, parameters), "weakest_direction")


@dataclass(frozen=True)
class Spectrum:
    """Eigen-decomposition of an information matrix, weakest direction first.

    Attributes
    ----------
    eigenvalues : ndarray, shape (n,)
        Rising.
    directions : ndarray, shape (n, n)
        One row per eigenvalue, of length one; the largest loading is positive.
    """

    eigenvalues: np.ndarray
    directions: np.ndarray


def standardized(information: np.ndarray) -> np.ndarray:
    """Information per unit of each parameter's conditional standard deviation: one on the diagonal.

    It does not depend on units or coordinates of the parameters; a small eigenvalue means parameters
    confounded with each other, not ones of large variance. NaN where the diagonal is not positive.
    """
    diagonal = np.diag(information)
    with np.errstate(invalid="ignore"):
        size = np.sqrt(np.where(diagonal > 0, diagonal, np.nan))
    return information / np.outer(size, size)


def information_spectrum(information: np.ndarray) -> Spectrum:
    """Eigenvalues and directions of a symmetric matrix; NaN throughout if it is not finite."""
    if not np.isfinite(information).all():
        return Spectrum(np.full(len(information), np.nan), np.full(information.shape, np.nan))
    eigenvalues, vectors = np.linalg.eigh(information)
    directions = vectors.T
    largest = np.take_along_axis(directions, np.abs(directions).argmax(1)[:, None], 1)
    return Spectrum(eigenvalues, directions * np.sign(largest))


def correlation(information: np.ndarray) -> np.ndarray:
    """Correlations of the estimates; NaN throughout if the information defines none."""
    if not is_positive_definite(information):
        return np.full(information.shape, np.nan)
    covariance = np.linalg.inv(information)
    deviation = np.sqrt(np.diag(covariance))
    return covariance / np.outer(deviation, deviation)


def describe_direction(
    estimate: np.ndarray,
    step: np.ndarray,
    loadings: np.ndarray,
    coordinates: Coordinates = FULL_SPACE,
) -> str:
    """Say in a sentence what the data cannot tell apart.

    Parameters
    ----------
    estimate : ndarray, shape (n,)
        Natural coordinates.
    step : ndarray, shape (n,)
        One standard deviation along the direction, unconstrained coordinates.
    loadings : ndarray, shape (n,)
        By which the parameters named are chosen, largest first, until they hold four fifths of the
        squared length.
    coordinates : Coordinates
        Of the n parameters; the ten's if not given.
    """
    if not np.isfinite(step).all():
        return "The information has no such direction: it is not positive definite."
    moved = coordinates.natural(coordinates.unconstrained(estimate) + step)
    order = np.argsort(-np.abs(loadings), kind="stable")
    held = np.cumsum(loadings[order] ** 2) / np.sum(loadings**2)
    named = order[: int(np.searchsorted(held, _SHARE_NAMED)) + 1]
    parts = []
    for k in named:
        parameter = coordinates.parameters[k]
        sense = "higher" if step[k] > 0 else "lower"
        unit = "" if parameter.unit == "1" else f" {parameter.unit}"
        parts.append(
            f"a {sense} {parameter.name.replace('_', ' ')} ({estimate[k]:.3g} to {moved[k]:.3g}{unit})"
        )
    said = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]} together"
    return f"The data can hardly tell the estimate from {said}, nor from the reverse."


def weakest_directions_text(
    eigenvalues: Sequence[float],
    sentences: Sequence[str],
    standardized_eigenvalues: Sequence[float],
    standardized_sentences: Sequence[str],
) -> str:
    """Lay out the sentences of the weakest directions, with their standard deviations, as one text."""
    lines = [
        "What the data cannot tell. Each step named below is one standard deviation along an",
        "eigenvector of the observed information: it costs about half a nat of log-likelihood.",
        "",
        "Least known, in logits of probabilities, logarithm of temperature, rewards in foods:",
    ]
    for rank, (value, sentence) in enumerate(zip(eigenvalues, sentences, strict=True), 1):
        deviation = 1.0 / np.sqrt(value) if value > 0 else np.nan
        lines.append(
            f"{rank}. {sentence} (Standard deviation {deviation:.3g}, eigenvalue {value:.3g}.)"
        )
    lines += ["", "Most confounded, whatever the units (each parameter's own information is one):"]
    pairs = zip(standardized_eigenvalues, standardized_sentences, strict=True)
    for rank, (value, sentence) in enumerate(pairs, 1):
        lines.append(
            f"{rank}. {sentence} (Information {value:.3g} of what it would be if the parameters were "
            "told apart one by one.)"
        )
    return "\n".join(lines) + "\n"
