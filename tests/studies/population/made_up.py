"""A made-up summary of the study: agents whose estimates err as their standard errors say."""

import numpy as np

from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.population.dataset import POPULATION, calibration
from tests.filled import filled

LEVELS = [0.5, 0.8, 0.95]


def z_scores(n_agents=100, seed=11):
    """Standard normal, and of no mean, per parameter."""
    z = np.random.default_rng(seed).normal(size=(n_agents, 10))
    return (z - z.mean(0)) / z.std(0, ddof=1)


def judged(z, truth_correlation=None):
    """What the dataset says of z-scores, and estimates that follow their own truths."""
    correlation = 0.1 + 0.7 * np.eye(10) if truth_correlation is None else truth_correlation
    return {name: values for name, (_, values) in calibration(z, LEVELS).items()} | {
        "truth_correlation": correlation
    }


def summary(n_agents=100, **given):
    """Three fits did not converge, each in its own way; two agents have three fixed points."""
    status = np.array(["converged"] * n_agents, dtype=object)
    status[:3] = ["at_bound", "not_converged", "degenerate_record"]
    several = np.arange(n_agents)[:, None] % 20 == 0
    profiled = status != "converged"
    kind = np.where(profiled, "profile", "wald").astype(object)
    sound = {
        "status": status,
        "identified": status == "converged",
        "likelihood_ratio": np.random.default_rng(8).chisquare(10, n_agents),
        "interval_kind": np.repeat(kind[:, None], 10, axis=1),
        "profile_deviance_at_truth": np.where(profiled[:, None], np.full((1, 10), 0.5), np.nan),
        "profile_rise": np.where(profiled, 0.0, np.nan),
        "radius": np.where(several, [0.7, 0.8, 1.05], [0.7, np.nan, np.nan]),
        **judged(z_scores(n_agents)),
    }
    coordinates = {
        "agent": n_agents,
        "parameter": [parameter.name for parameter in AGENT_PARAMETERS],
        "parameter_other": [parameter.name for parameter in AGENT_PARAMETERS],
        "level": LEVELS,
        "fixed_point": 3,
    }
    return filled(POPULATION, coordinates, sound | given)
