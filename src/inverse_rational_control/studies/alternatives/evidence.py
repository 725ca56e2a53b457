"""Log evidence of the agent's models: Laplace's approximation at the posterior's mode, weighed by draws.

Source: docs/model.md section 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference.fit import fit
from inverse_rational_control.inference.importance import importance_sample
from inverse_rational_control.inference.log_posterior import LogPosterior
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.inference.whitened import Whitened

__all__ = ["NO_EVIDENCE", "Evidence", "model_evidence"]


@dataclass(frozen=True)
class Evidence:
    """Log of the probability of a record under a model and its prior.

    Attributes
    ----------
    log_evidence, standard_error : float
        Nats; NaN where there is none.
    """

    log_evidence: float
    standard_error: float


NO_EVIDENCE = Evidence(np.nan, np.nan)


def model_evidence(
    objective: Objective,
    estimate: np.ndarray,
    prior: Mapping,
    settings: FitSettings,
    n_draws: int,
    rng: np.random.Generator,
    whitening: np.ndarray,
) -> Evidence:
    """Evidence of one model, by importance sampling around the mode that the estimate leads to.

    Parameters
    ----------
    objective : Objective
        Of the model's space.
    estimate : ndarray, shape (n,)
        Maximum likelihood, natural coordinates; the prior's middle is the search's other start.
    prior : mapping
        The section `prior` of the configuration; none where it is flat for a free parameter.
    settings : FitSettings
    n_draws : int
    rng : numpy.random.Generator
    whitening : ndarray
        As for `fit`.
    """
    density = LogPosterior(objective, normal_prior(prior, objective.space))
    if not density.prior.is_proper:
        return NO_EVIDENCE
    starts = [estimate] if np.isfinite(estimate).all() else [density.prior.center]
    mode = fit(density, settings, starts, whitening=whitening, challenge=False)
    if not np.isfinite(mode.log_likelihood):
        return NO_EVIDENCE
    whitened = Whitened.around(density, mode.estimate, mode.information)
    one_round = PosteriorSettings(n_importance_draws=n_draws, n_importance_rounds=1)
    found = importance_sample(whitened, one_round, rng)
    return NO_EVIDENCE if found is None else Evidence(found.log_evidence, found.log_evidence_error)
