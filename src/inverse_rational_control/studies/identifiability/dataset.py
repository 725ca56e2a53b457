"""Datasets of the study of identifiability: profile likelihoods, and what they and information say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from inverse_rational_control.inference.information import is_positive_definite
from inverse_rational_control.recordings.dataset import coordinates_of_dataset
from inverse_rational_control.recordings.dataset import names as names_of
from inverse_rational_control.storage.contract import Contract, variable
from inverse_rational_control.studies.identifiability.analysis import (
    correlation,
    describe_direction,
    information_spectrum,
    standardized,
)

if TYPE_CHECKING:
    from inverse_rational_control.inference.profiles import Profile

__all__ = ["IDENTIFIABILITY", "PROFILES", "identifiability_dataset", "profiles_dataset"]

_PROFILES = {
    "direction": variable(
        "profile parameter", "f", "unconstrained", "what is held fixed, of length one"
    ),
    "wald_standard_deviation": variable(
        "profile", "f", "unconstrained", "Wald's standard deviation along it"
    ),
    "offset": variable(
        "profile point", "f", "unconstrained", "fixed distance from the estimate along it"
    ),
    "profile_log_likelihood": variable("profile point", "f", "nat", "maximum under the constraint"),
    "profile_parameters": variable(
        "profile point parameter", "f", "natural", "where that maximum lies"
    ),
    "profile_converged": variable("profile point", "b", "", "met the convergence criterion"),
    "stop_reason": variable("profile point", "U", "", "what stopped the maximization, in words"),
    "n_evaluations": variable("profile point", "i", "", "E-steps used"),
}
_PROFILES_AT_TRUTH = {
    "truth_offset": variable("profile", "f", "unconstrained", "of the truth from the estimate"),
    "truth_profile_log_likelihood": variable(
        "profile", "f", "nat", "maximum with the true offset held"
    ),
    "truth_converged": variable("profile", "b", "", "met the convergence criterion"),
}

#: Kind `profiles`.
PROFILES = Contract(
    "profiles",
    "profile likelihoods of one fit: an offset from the estimate held fixed, all else re-optimized",
    _PROFILES,
    _PROFILES_AT_TRUTH,
)


def profiles_dataset(
    profile_names: Sequence[str],
    directions: np.ndarray,
    standard_deviations: Sequence[float],
    profiles: Sequence[Profile],
    at_truth: Sequence[Profile] = (),
    parameters: Sequence[str] | None = None,
) -> xr.Dataset:
    """Profiles of one fit as a dataset of kind `profiles`.

    Parameters
    ----------
    profile_names : sequence of str, one per profile
    directions : ndarray, shape (profiles, n)
        Unconstrained coordinates, of length one.
    standard_deviations : sequence of float
        Wald's, along the directions.
    profiles : sequence of Profile
        With equally many points.
    at_truth : sequence of Profile, optional
        The estimate and the point at the truth's offset (where that is not the estimate itself).
    parameters : sequence of str, optional
        Names of the n parameters; the ten if not given.
    """

    def stacked(field):
        return np.array([getattr(profile, field) for profile in profiles])

    points = ("profile", "point")
    variables = {
        "direction": (("profile", "parameter"), np.asarray(directions)),
        "wald_standard_deviation": ("profile", np.asarray(standard_deviations, dtype=float)),
        "offset": (points, stacked("offset")),
        "profile_log_likelihood": (points, stacked("log_likelihood")),
        "profile_parameters": ((*points, "parameter"), stacked("parameters")),
        "profile_converged": (points, stacked("converged")),
        "stop_reason": (points, stacked("stop_reason").astype(object)),
        "n_evaluations": (points, stacked("n_evaluations")),
    }
    if at_truth:
        # Of two points the one that is not the estimate; the estimate alone if the truth is there.
        place = [int(np.argmax(np.abs(profile.offset))) for profile in at_truth]

        def there(field):
            return np.array(
                [getattr(profile, field)[k] for profile, k in zip(at_truth, place, strict=True)]
            )

        variables |= {
            "truth_offset": ("profile", there("offset")),
            "truth_profile_log_likelihood": ("profile", there("log_likelihood")),
            "truth_converged": ("profile", there("converged")),
        }
    coordinates = {
        "profile": list(profile_names),
        "point": np.arange(profiles[0].offset.size),
        "parameter": names_of() if parameters is None else list(parameters),
    }
    return xr.Dataset(variables, coordinates)


#: Kind `identifiability`.
IDENTIFIABILITY = Contract(
    "identifiability",
    "information, weakest directions, profile likelihoods and intervals of one fit",
    {
        **_PROFILES,
        "estimate": variable("parameter", "f", "natural", "maximum-likelihood estimate"),
        "log_likelihood": variable("", "f", "nat", "log-likelihood at the estimate"),
        "information": variable(
            "parameter parameter_other", "f", "1", "observed, unconstrained coordinates"
        ),
        "information_positive_definite": variable("", "b", "", "it defines standard errors"),
        "correlation": variable(
            "parameter parameter_other", "f", "1", "of the estimates, from the information"
        ),
        "eigenvalue": variable("rank", "f", "1", "of the information, weakest first"),
        "loading": variable("rank parameter", "f", "1", "eigenvectors of the information"),
        "sentence": variable("rank", "U", "", "what one standard deviation along it confuses"),
        "standardized_eigenvalue": variable(
            "rank", "f", "1", "of the information scaled to a diagonal of one"
        ),
        "standardized_loading": variable("rank parameter", "f", "1", "eigenvectors of that"),
        "standardized_sentence": variable("rank", "U", "", "the same for that"),
        "value": variable(
            "profile point", "f", "", "natural; for the weakest direction, the offset along it"
        ),
        "signed_root": variable("profile point", "f", "sqrt(nat)", "of 2 [l_max - l_profile]"),
        "profile_lower": variable("profile", "f", "", "of the profile interval; NaN if open"),
        "profile_upper": variable("profile", "f", "", "of the profile interval; NaN if open"),
        "lower_open": variable("profile", "b", "", "the profile does not reach the cut there"),
        "upper_open": variable("profile", "b", "", "the profile does not reach the cut there"),
        "wald_lower": variable("profile", "f", "", "lower end of Wald's interval"),
        "wald_upper": variable("profile", "f", "", "upper end of Wald's interval"),
    },
    {
        **_PROFILES_AT_TRUTH,
        "truth": variable("profile", "f", "", "natural, or the offset along the direction"),
        "truth_likelihood_ratio": variable("profile", "f", "nat", "2 [l_max - l_profile] there"),
    },
    ("confidence_level", "likelihood_cut", "task"),
)


def identifiability_dataset(
    fit: xr.Dataset, profiles: xr.Dataset, confidence_level: float
) -> xr.Dataset:
    """What the information and the profiles of one fit say, as a dataset of kind `identifiability`.

    Parameters
    ----------
    fit : xarray.Dataset
        Kind `fit`.
    profiles : xarray.Dataset
        Kind `profiles`: every parameter, then the weakest direction.
    confidence_level : float
        Of Wald's and the profiles' intervals, in (0, 1).
    """
    # Here, so that the figure, which needs only the contract, does not load what maximizes.
    from inverse_rational_control.inference.profiles import (
        likelihood_cut,
        profile_interval,
        signed_root,
    )

    estimate, information = fit["estimate"].values, fit["information"].values
    best, coordinates = float(fit["log_likelihood"]), coordinates_of_dataset(fit)
    cut = likelihood_cut(confidence_level)
    offset = profiles["offset"].values
    root = signed_root(offset, profiles["profile_log_likelihood"].values, best)
    ends = np.array([profile_interval(*pair, cut) for pair in zip(offset, root, strict=True)])
    is_open = ~np.isfinite(ends)
    reach = np.sqrt(cut) * profiles["wald_standard_deviation"].values
    definite = is_positive_definite(information)
    wald = np.stack([-reach, reach], -1) if definite else np.full((reach.size, 2), np.nan)

    def values(offsets):
        return _values(estimate, coordinates, list(profiles["profile"].values), offsets)

    shown, wald = values(np.where(is_open, np.nan, ends)), values(wald)
    points = ("profile", "point")
    variables = {
        "estimate": ("parameter", estimate),
        "log_likelihood": ((), best),
        **_of_information(estimate, coordinates, information),
        **{name: profiles[name].variable for name in profiles.data_vars},
        "value": (points, values(offset)),
        "signed_root": (points, root),
        "profile_lower": ("profile", shown[:, 0]),
        "profile_upper": ("profile", shown[:, 1]),
        "lower_open": ("profile", is_open[:, 0]),
        "upper_open": ("profile", is_open[:, 1]),
        "wald_lower": ("profile", wald[:, 0]),
        "wald_upper": ("profile", wald[:, 1]),
    }
    if "truth_offset" in profiles:
        below = best - profiles["truth_profile_log_likelihood"].values
        variables |= {
            "truth": ("profile", values(profiles["truth_offset"].values[:, None])[:, 0]),
            "truth_likelihood_ratio": ("profile", 2.0 * below),
        }
    names = [parameter.name for parameter in coordinates.parameters]
    labels = {
        "parameter": names,
        "parameter_other": names,
        "profile": profiles["profile"].values,
        "point": profiles["point"].values,
        "rank": np.arange(estimate.size),
        "unit": ("parameter", [parameter.unit for parameter in coordinates.parameters]),
    }
    attributes = {"confidence_level": confidence_level, "likelihood_cut": cut}
    return xr.Dataset(variables, labels, attributes | {"task": fit.attrs["task"]})


def _values(estimate, coordinates, profile_names, offsets):
    """Natural values of parameters, offsets of the weakest direction; (profiles, n) to the same."""
    moved = np.array(offsets, dtype=float)
    center = coordinates.unconstrained(estimate)
    for k, parameter in enumerate(coordinates.parameters):
        row = profile_names.index(parameter.name)
        eta = np.tile(center[:, None], moved.shape[1])
        eta[k] += moved[row]
        moved[row] = coordinates.natural(eta.T)[:, k]
    return moved


def _of_information(estimate, coordinates, information):
    """Variables that follow from the information alone."""
    spectrum = information_spectrum(information)
    alone = information_spectrum(standardized(information))
    size = np.sqrt(np.abs(np.diag(information)))
    return {
        "information": (("parameter", "parameter_other"), information),
        "information_positive_definite": ((), is_positive_definite(information)),
        "correlation": (("parameter", "parameter_other"), correlation(information)),
        "eigenvalue": ("rank", spectrum.eigenvalues),
        "loading": (("rank", "parameter"), spectrum.directions),
        "sentence": ("rank", _sentences(estimate, coordinates, spectrum, np.ones(size.size))),
        "standardized_eigenvalue": ("rank", alone.eigenvalues),
        "standardized_loading": (("rank", "parameter"), alone.directions),
        "standardized_sentence": ("rank", _sentences(estimate, coordinates, alone, size)),
    }


def _sentences(estimate, coordinates, spectrum, size):
    """One sentence per direction; `size` turns its coordinates into unconstrained ones."""
    steps = np.full(spectrum.directions.shape, np.nan)
    positive = spectrum.eigenvalues > 0
    steps[positive] = spectrum.directions[positive] / np.sqrt(spectrum.eigenvalues[positive, None])
    sentences = [
        describe_direction(estimate, step / size, loadings, coordinates)
        for step, loadings in zip(steps, spectrum.directions, strict=True)
    ]
    return np.array(sentences, dtype=object)
