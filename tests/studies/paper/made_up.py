"""Made-up datasets of the paper's one agent, sound in every criterion."""

import json

import numpy as np

from inverse_rational_control.foraging.behavior import STATISTICS
from inverse_rational_control.foraging.predictive import (
    PREDICTIVE_STATISTICS,
    predictive_check,
)
from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.parameters import (
    AGENT_PARAMETERS,
    WORLD_PARAMETERS,
    natural,
    unconstrained,
)
from inverse_rational_control.recordings.dataset import RECORD
from inverse_rational_control.studies.paper.dataset import BEHAVIOR, MODELS, POSTERIOR
from inverse_rational_control.studies.paper.surface_dataset import SURFACE
from inverse_rational_control.task import ACTIONS, DESTINATION, LOCATIONS, OPENED_BOX, Task
from tests.conftest import PAPER_AGENT, PAPER_WORLD
from tests.filled import filled

AGENT = [parameter.name for parameter in AGENT_PARAMETERS]
WORLD = [parameter.name for parameter in WORLD_PARAMETERS]
TASK = {"task": json.dumps({"n_bins": 10, "n_cues": 5})}
CENTERS = (np.arange(10) + 0.5) / 10
BINS = {"bin": CENTERS, "bin_1": CENTERS, "bin_2": CENTERS}
TRUTHS = {"truth": PAPER_AGENT, "world": PAPER_WORLD}


def record(truth=True, n_steps=400):
    """Noise in which every location, action and cue occurs."""
    rng = np.random.default_rng(1)
    location, action, task = np.zeros(n_steps, int), np.zeros(n_steps, int), Task()
    for step in range(n_steps):
        if step:
            location[step] = DESTINATION[location[step - 1], action[step - 1]]
        action[step] = rng.choice(np.flatnonzero(task.available[location[step]]))
    pushed = np.append(False, OPENED_BOX[location, action][:-1] > 0)
    given = {
        "session": np.zeros(n_steps, int),
        "location": location,
        "action": action,
        "reward": (pushed & (rng.random(n_steps) < 0.5)).astype(int),
        "cue": rng.integers(0, 5, (n_steps, 2)),
    }
    sizes = {"step": n_steps, "box": [1, 2], "parameter": AGENT, "world_parameter": WORLD}
    return filled(RECORD, sizes, given, RECORD.optional if truth else (), TASK)


def fit(truth=True, **given):
    """Three starts that climb to one maximum, five nats above the truth, a standard error from it."""
    n_starts, n_iterations = 3, 40
    rising = -np.exp(-np.arange(n_iterations, dtype=float))
    # In unconstrained coordinates, each by one of its standard errors.
    estimate = natural(unconstrained(np.array(PAPER_AGENT)) + 0.01)
    sound = {
        "estimate": estimate,
        "interval_lower": estimate - 0.05,
        "interval_upper": estimate + 0.05,
        "information": 1e4 * np.eye(10),
        "information_positive_definite": True,
        "parameter_at_bound": [False] * 10,
        "log_likelihood": -4000.0,
        "status": "converged",
        "planner_radius": 0.8,
        "best_start": 0,
        "newton_decrement": [1e-9] * n_starts,
        "start_converged": [True] * n_starts,
        "end_log_likelihood": [-4000.0] * n_starts,
        "em_fall": [-1e-3] * n_starts,
        "history_log_likelihood": np.tile(rising, (n_starts, 1)),
    }
    if truth:
        sound |= TRUTHS | {"truth_log_likelihood": -4005.0}
    sizes = {"start": n_starts, "iteration": n_iterations, "box": [1, 2]}
    sizes |= {"parameter": AGENT, "parameter_other": AGENT, "world_parameter": WORLD}
    attributes = TASK | {"method": "quasi_newton", "confidence_level": 0.95}
    return filled(FIT, sizes, sound | given, (), attributes)


def posterior(truth=True, n_steps=400, **given):
    """A decoding that says how sure it is; the lowest bin of box 1 was never visited."""
    sound = {}
    if truth:
        average = np.random.default_rng(2).dirichlet(np.ones(10), (2, 10))
        average[0, 0] = np.nan
        sound = {
            "true_belief_bin": np.random.default_rng(3).integers(0, 10, (n_steps, 2)),
            "posterior_given_true": average,
            "correlation": [0.95, 0.96],
            "credible_coverage": [0.93, 0.94],
            "credible_expected": [0.95, 0.96],
            "credible_error": [0.004, 0.004],
            "credible_masses": np.linspace([0.92, 0.93], [0.98, 0.99], 20),
            "estimate_coverage": [0.92, 0.93],
            "true_model_coverage": [0.95, 0.96],
            "true_model_expected": [0.951, 0.958],
            "cue_log_score": [-1.5, -1.6],
            "log_score": [-1.1, -1.1],
            "true_model_log_score": [-1.0, -1.0],
        }
    sizes = {"step": n_steps, "box": [1, 2], "true_bin": CENTERS, "level": 10, **BINS}
    sizes["carried"] = 20
    attributes = TASK | {"parameters_from": "200 draws from the posterior (converged)"}
    optional = POSTERIOR.optional if truth else ()
    return filled(POSTERIOR, sizes, sound | given, optional, attributes)


def behavior(**given):
    """One agent and many alike: distances in the middle of those that chance makes."""
    rng = np.random.default_rng(4)
    shares = {
        "action_frequency": [0.35, 0.2, 0.12, 0.1, 0.23],
        "location_frequency": [0.45, 0.3, 0.25],
        "push_interval": 0.2 * 0.8 ** np.arange(40),
        "travel_interval": 0.4 * 0.6 ** np.arange(40),
    }
    null = rng.gamma(9.0, 0.002, (200, len(STATISTICS)))
    sound = {"distance": np.median(null, 0), "null_distance": null}
    for name, share in shares.items():
        share = np.array(share) / np.sum(share)
        sound[name] = share
        sound[f"replicate_{name}"] = rng.multinomial(1200, share, 200) / 1200
    replicated = rng.normal(size=(200, len(PREDICTIVE_STATISTICS)))
    check = predictive_check(0.5 * replicated[0], replicated)
    sound |= {
        "observed": check.observed,
        "replicated": replicated,
        "predictive_p": check.p_values,
        "predictive_distance": check.distance,
        "replicate_predictive_distance": check.replicate_distances,
        "predictive_p_together": check.p_value,
    }
    sizes = {"action": ACTIONS, "location": LOCATIONS, "interval": np.arange(1, 41)}
    sizes |= {"replicate": 200, "statistic": list(STATISTICS)}
    sizes |= {"checked": list(PREDICTIVE_STATISTICS)}
    attributes = {"null_agent": "true", "distances": json.dumps(STATISTICS)}
    held_out = -4000.0 + rng.normal(0.0, 30.0, 10)
    sound |= {
        "held_out_log_likelihood": held_out - 5.0,
        "truth_held_out_log_likelihood": held_out,
    }
    sizes["held_out"] = held_out.size
    attributes |= {"parameters_from": "200 draws from the posterior (converged)"}
    return filled(BEHAVIOR, sizes, sound | given, (), attributes)


def models(**given):
    """Two agents alike; some states are never visited."""
    visits = np.random.default_rng(5).gamma(0.4, 1.0, (3, 10, 10))
    visits[:, :2] = 0.0
    sound = {"value_correlation": 0.99, "visit_frequency": visits / visits.sum()}
    return filled(MODELS, {"location": LOCATIONS, **BINS}, sound | given, MODELS.optional)


def surface(truth=True):
    """A ridge with a hole in it, where the planner failed."""
    u, v = np.linspace(-1.0, 5.0, 31), np.linspace(-1.5, 1.5, 21)
    height = -4000.0 - 25.0 * u[:, None] ** 2 - 400.0 * v**2
    height[-1, -1] = np.nan
    given = {
        "log_likelihood": height,
        "explained_variance": [0.91, 0.07],
        "trajectory_u": np.linspace(4.5, 0.0, 80),
        "quasi_newton_u": np.linspace(4.5, 0.0, 30),
        "end_u": 0.0,
        "end_v": 0.0,
        "end_log_likelihood": -4000.0,
    }
    sizes = {"u": u, "v": v, "parameter": AGENT, "component": 2}
    sizes |= {"iteration": 80, "quasi_newton_iteration": 30}
    return filled(SURFACE, sizes, given, SURFACE.optional if truth else ())
