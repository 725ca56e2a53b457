"""Made-up datasets that obey `irc.datasets.CONTRACTS`: plausible in shape, without the model.

They serve tests of whatever only reads datasets (figures, checks); no number in them is a result.
"""

from __future__ import annotations

import json

import numpy as np
import xarray as xr
from scipy.stats import binom

from inverse_rational_control.parameters import (
    AGENT_PARAMETERS,
    WORLD_PARAMETERS,
    natural,
    unconstrained,
)
from inverse_rational_control.task import (
    ACTIONS,
    BOX_1,
    DESTINATION,
    GO_MIDDLE,
    LOCATIONS,
    MIDDLE,
    PUSH,
    STAY,
)

AGENT = [parameter.name for parameter in AGENT_PARAMETERS]
WORLD = [parameter.name for parameter in WORLD_PARAMETERS]
TRUTH = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
WORLD_TRUTH = np.array([0.15, 0.10, 0.05, 0.04, 0.4, 0.6])
N_BINS, N_CUES = 10, 5
TASK = {
    "n_bins": N_BINS,
    "n_cues": N_CUES,
    "diffusion": None,
    "discount": 0.99,
    "grooming": "waiting",
    "restricted_actions": False,
}
CENTRES = (np.arange(N_BINS) + 0.5) / N_BINS


def _truths() -> dict:
    return {"truth": ("parameter", TRUTH), "world": ("world_parameter", WORLD_TRUTH)}


def record(n_steps: int = 400, truth: bool = True, seed: int = 1) -> xr.Dataset:
    """Behavior of a rule-of-thumb forager in the two-box world; kind record."""
    random = np.random.default_rng(seed)
    appear, vanish = WORLD_TRUTH[:2], WORLD_TRUTH[2:4]
    cue_table = np.stack([binom.pmf(np.arange(N_CUES), N_CUES - 1, q) for q in WORLD_TRUTH[4:]])
    food = random.random(2) < appear / (appear + vanish)
    belief = random.random(2)
    location, reward = MIDDLE, 0
    columns = {name: np.zeros(n_steps, int) for name in ("location", "action", "reward")}
    columns |= {name: np.zeros((n_steps, 2), int) for name in ("cue", "food", "belief_bin")}
    for t in range(n_steps):
        cue = random.binomial(N_CUES - 1, np.where(food, WORLD_TRUTH[4], WORLD_TRUTH[5]))
        predicted = TRUTH[:2] + (1 - TRUTH[:2] - TRUTH[2:4]) * belief
        weighed = cue_table[0, cue] * predicted
        belief = weighed / (weighed + cue_table[1, cue] * (1 - predicted))
        belief = np.clip(belief + random.normal(0, 0.03, 2), 0, 1 - 1e-9)
        if location != MIDDLE:
            action = PUSH if random.random() < belief[location - BOX_1] else GO_MIDDLE
        else:
            best = int(np.argmax(belief))
            action = GO_MIDDLE + 1 + best if random.random() < belief[best] ** 2 else STAY
        if random.random() < 0.1:
            action = int(random.integers(len(ACTIONS)))
        columns["location"][t], columns["action"][t], columns["reward"][t] = (
            location,
            action,
            reward,
        )
        columns["cue"][t], columns["food"][t] = cue, food
        columns["belief_bin"][t] = belief * N_BINS
        reward = 0
        if action == PUSH and location != MIDDLE:
            box = location - BOX_1
            reward, food[box], belief[box] = int(food[box]), False, 0.0
        location = int(DESTINATION[location, action])
        food = np.where(food, random.random(2) >= vanish, random.random(2) < appear)
    variables = {name: (("step", "box")[: values.ndim], values) for name, values in columns.items()}
    variables["session"] = ("step", np.zeros(n_steps, int))
    if truth:
        variables |= _truths()
    else:
        variables = {
            name: value
            for name, value in variables.items()
            if not name.startswith(("food", "belief_bin"))
        }
    coordinates = {"step": np.arange(n_steps), "box": [1, 2]}
    if truth:
        coordinates |= {"parameter": AGENT, "world_parameter": WORLD}
    return xr.Dataset(variables, coordinates, {"task": json.dumps(TASK)})


def fit(truth: bool = True, seed: int = 2, n_starts: int = 3, n_iterations: int = 40) -> xr.Dataset:
    """Estimates near the paper's agent, every start on a smooth way to them; kind fit."""
    random = np.random.default_rng(seed)
    n = len(AGENT)
    error = np.array([0.035, 0.03, 0.025, 0.02, 0.03, 0.03, 0.02, 0.02, 0.02, 0.008])
    estimate = TRUTH + error * random.normal(size=n)
    starts = natural(unconstrained(estimate) + 1.2 * random.normal(size=(n_starts, n)))
    remaining = np.exp(-np.arange(n_iterations) / 8.0)[:, None]
    ways = np.stack(
        [
            natural(unconstrained(estimate) * (1 - remaining) + unconstrained(s) * remaining)
            for s in starts
        ]
    )
    likelihood = -4000.0 - 900.0 * remaining[:, 0] ** 2 * np.ones((n_starts, 1))
    variables = {
        "estimate": ("parameter", estimate),
        "standard_error": ("parameter", error),
        "interval_lower": ("parameter", estimate - 1.96 * error),
        "interval_upper": ("parameter", estimate + 1.96 * error),
        "information": (("parameter", "parameter_other"), np.diag(1 / error**2)),
        "information_positive_definite": ((), True),
        "log_likelihood": ((), -4000.0),
        "parameter_at_bound": ("parameter", np.zeros(n, bool)),
        "converged": ((), True),
        "status": ((), "converged"),
        "remarks": ((), ""),
        "planner_residual": ((), 1e-12),
        "planner_radius": ((), 0.9),
        "best_start": ((), 0),
        "start_parameters": (("start", "parameter"), starts),
        "end_parameters": (("start", "parameter"), ways[:, -1]),
        "end_log_likelihood": ("start", likelihood[:, -1]),
        "newton_decrement": ("start", np.full(n_starts, 1e-8)),
        "whitened_gradient": (("start", "parameter"), np.zeros((n_starts, n))),
        "start_converged": ("start", np.ones(n_starts, bool)),
        "stop_reason": ("start", np.array(["newton decrement"] * n_starts)),
        "jump_met": ("start", np.zeros(n_starts, bool)),
        "n_evaluations": ("start", np.full(n_starts, 60)),
        "n_iterations": ("start", np.full(n_starts, n_iterations)),
        "seconds": ("start", np.ones(n_starts)),
        "history_log_likelihood": (("start", "iteration"), likelihood),
        "history_parameters": (("start", "iteration", "parameter"), ways),
        "history_evaluations": (("start", "iteration"), np.ones((n_starts, n_iterations))),
        "history_seconds": (("start", "iteration"), np.ones((n_starts, n_iterations))),
    }
    coordinates = {"parameter": AGENT}
    if truth:
        variables |= _truths() | {"truth_log_likelihood": ((), -4005.2)}
        coordinates["world_parameter"] = WORLD
    attributes = {"task": json.dumps(TASK), "method": "quasi_newton", "confidence_level": 0.95}
    return xr.Dataset(variables, coordinates, attributes)


def posterior(of: xr.Dataset, truth: bool = True, seed: int = 3) -> xr.Dataset:
    """Blurred copies of a record's true beliefs (or of a random walk); kind posterior."""
    random = np.random.default_rng(seed)
    n_steps = of.sizes["step"]
    marginals, means, bins, given, steps, correlation = [], [], [], [], [], []
    for box in (1, 2):
        if "belief_bin" in of:
            true = of["belief_bin"].sel(box=box).values
        else:
            true = np.abs(np.cumsum(random.integers(-1, 2, n_steps))) % N_BINS
        middle = CENTRES[true] + random.normal(0, 0.06, n_steps)
        mass = np.exp(-0.5 * ((CENTRES - middle[:, None]) / 0.12) ** 2)
        mass /= mass.sum(1, keepdims=True)
        steps.append(np.bincount(true, minlength=N_BINS))
        with np.errstate(invalid="ignore"):
            given.append(
                np.stack([mass[true == i].sum(0) / (true == i).sum() for i in range(N_BINS)])
            )
        marginals.append(mass)
        means.append(mass @ CENTRES)
        bins.append(true)
        correlation.append(np.corrcoef(means[-1], CENTRES[true])[0, 1])
    variables = {
        "posterior": (
            ("step", "bin_1", "bin_2"),
            marginals[0][:, :, None] * marginals[1][:, None, :],
        ),
        "log_likelihood": ((), -4000.0),
    }
    variables |= {
        "marginal": (("step", "box", "bin"), np.stack(marginals, 1)),
        "posterior_mean": (("step", "box"), np.stack(means, 1)),
        "most_probable_bin": (("step", "box"), np.stack(marginals, 1).argmax(2)),
    }
    coordinates = {"step": of["step"].values, "bin_1": CENTRES, "bin_2": CENTRES}
    coordinates |= {"box": [1, 2], "bin": CENTRES}
    if truth:
        variables |= {
            "true_belief_bin": (("step", "box"), np.stack(bins, 1)),
            "posterior_given_true": (("box", "true_bin", "bin"), np.stack(given)),
            "true_bin_steps": (("box", "true_bin"), np.stack(steps)),
            "correlation": ("box", np.array(correlation)),
            "rmse": ("box", np.array([0.1, 0.12])),
        }
        coordinates |= {"true_bin": CENTRES}
    return xr.Dataset(variables, coordinates, {"task": json.dumps(TASK)})


def behavior(n_replicates: int = 200, n_intervals: int = 40, seed: int = 4) -> xr.Dataset:
    """Histograms of one agent and of many alike; kind behavior."""
    random = np.random.default_rng(seed)
    decay = np.exp(-np.arange(n_intervals) / 7.0)
    shares = {
        "action": np.array([0.35, 0.2, 0.12, 0.1, 0.23]),
        "location": np.array([0.45, 0.3, 0.25]),
        "push_interval": decay / decay.sum(),
        "travel_interval": decay**1.6 / (decay**1.6).sum(),
    }
    dims = {"action": "action", "location": "location"}
    variables = {}
    for name, share in shares.items():
        dim = dims.get(name, "interval")
        suffix = "_frequency" if name in dims else ""
        draws = random.multinomial(1200, share, size=n_replicates + 1) / 1200.0
        variables[f"{name}{suffix}"] = (dim, draws[0])
        variables[f"replicate_{name}{suffix}"] = (("replicate", dim), draws[1:])
    null = random.gamma(9.0, 0.002, size=(n_replicates, len(shares)))
    variables["distance"] = ("statistic", null[0])
    variables["null_distance"] = (("replicate", "statistic"), null)
    coordinates = {
        "action": list(ACTIONS),
        "location": list(LOCATIONS),
        "interval": np.arange(1, n_intervals + 1),
        "statistic": list(shares),
    }
    measures = ["total variation"] * 2 + ["Kolmogorov-Smirnov"] * 2
    distances = dict(zip(shares, measures, strict=True))
    attributes = {"null_agent": "inferred", "distances": json.dumps(distances)}
    return xr.Dataset(variables, coordinates, attributes)


def models(seed: int = 5) -> xr.Dataset:
    """Value functions of two similar agents; kind models."""
    random = np.random.default_rng(seed)
    shape = (len(LOCATIONS), N_BINS, N_BINS)
    dims = ("location", "bin_1", "bin_2")
    true = np.add.outer(np.array([-0.1, 0.05, 0.0]), np.add.outer(CENTRES, 0.8 * CENTRES))
    true -= true.mean()
    inferred = true * 1.04 + 0.02 * random.normal(size=shape)
    divergence = random.gamma(1.0, 0.01, shape)
    visits = random.gamma(0.4, 1.0, shape) * (random.random(shape) < 0.8)
    visits /= visits.sum()
    variables = {
        "true_value": (dims, true),
        "inferred_value": (dims, inferred - inferred.mean()),
        "policy_divergence": (dims, divergence),
        "visit_frequency": (dims, visits),
        "value_correlation": ((), np.corrcoef(true.ravel(), inferred.ravel())[0, 1]),
        "value_rmse": ((), 0.03),
        "mean_policy_divergence": ((), float((divergence * visits).sum())),
        "uniform_policy_divergence": ((), 0.7),
    }
    return xr.Dataset(variables, {"location": list(LOCATIONS), "bin_1": CENTRES, "bin_2": CENTRES})


def surface(truth: bool = True, n_points: int = 31) -> xr.Dataset:
    """A curved ridge with two ways up to it; kind surface."""
    u, v = np.linspace(-1.0, 5.0, n_points), np.linspace(-1.5, 1.5, n_points)

    def height(u, v):
        return -4000.0 - 25.0 * u**2 - 400.0 * (v - 0.12 * u * (3 - u) * np.exp(-u / 3)) ** 2

    def way(start, rate, n):
        left = np.exp(-np.arange(n) / rate)
        u_way = start[0] * left
        return u_way, 0.12 * u_way * (3 - u_way) * np.exp(-u_way / 3) + start[1] * left**3

    em, fast = way((4.5, 1.1), 12.0, 80), way((4.5, 1.1), 4.0, 30)
    grid = height(u[:, None], v[None, :])
    grid[-1, -1] = np.nan
    random = np.random.default_rng(6)
    variables = {
        "log_likelihood": (("u", "v"), grid),
        "direction_u": ("parameter", random.normal(size=len(AGENT))),
        "direction_v": ("parameter", random.normal(size=len(AGENT))),
        "explained_variance": ("component", np.array([0.91, 0.07])),
        "trajectory_u": ("iteration", em[0]),
        "trajectory_v": ("iteration", em[1]),
        "trajectory_log_likelihood": ("iteration", height(*em)),
        "quasi_newton_u": ("quasi_newton_iteration", fast[0]),
        "quasi_newton_v": ("quasi_newton_iteration", fast[1]),
        "quasi_newton_log_likelihood": ("quasi_newton_iteration", height(*fast)),
        "end_u": ((), 0.0),
        "end_v": ((), 0.0),
        "end_log_likelihood": ((), -4000.0),
    }
    if truth:
        variables |= {
            "truth_u": ((), 0.35),
            "truth_v": ((), 0.12),
            "truth_log_likelihood": ((), -4005.2),
        }
    return xr.Dataset(variables, {"u": u, "v": v, "parameter": AGENT})


def recovery(n_seeds: int = 20, seed: int = 7) -> xr.Dataset:
    """Errors that shrink with the square root of the data; kind recovery."""
    random = np.random.default_rng(seed)
    lengths = np.array([500, 1000, 2000, 5000, 10000, 20000])
    at_5000 = np.array([0.035, 0.03, 0.025, 0.02, 0.03, 0.03, 0.02, 0.02, 0.02, 0.008])
    size = at_5000 * np.sqrt(5000 / lengths)[:, None] * (1 + 400 / lengths)[:, None]
    error = size * random.normal(size=(n_seeds, lengths.size, len(AGENT)))
    status = np.full((n_seeds, lengths.size), "converged", dtype="U16")
    status[random.random(status.shape) < np.exp(-lengths / 700)] = "at_bound"
    status[0, 0] = "not_converged"
    interior = np.where((status == "at_bound")[..., None], np.nan, error)
    dims = ("seed", "n_steps", "parameter")
    variables = {
        "truth": ("parameter", TRUTH),
        "estimate": (dims, TRUTH + error),
        "error": (dims, error),
        "standard_error": (dims, np.broadcast_to(size, error.shape).copy()),
        "covered": (dims, np.abs(error) < 1.96 * size),
        "interval_defined": (dims, np.ones(error.shape, bool)),
        "status": (dims[:2], status),
        "likelihood_ratio": (dims[:2], random.chisquare(10, status.shape)),
        "starts_agreeing": (dims[:2], np.ones(status.shape)),
        "rmse": (dims[1:], np.sqrt((error**2).mean(0))),
        "rmse_interior": (dims[1:], np.sqrt(np.nanmean(interior**2, axis=0))),
        "at_bound_count": ("n_steps", (status == "at_bound").sum(0)),
        "unconverged_count": ("n_steps", (status == "not_converged").sum(0)),
        "slope": ("parameter", random.normal(-0.5, 0.05, len(AGENT))),
        "slope_standard_error": ("parameter", np.full(len(AGENT), 0.06)),
        "pooled_slope": ((), -0.51),
        "pooled_slope_standard_error": ((), 0.03),
        "coverage": ("n_steps", (np.abs(error) < 1.96 * size).mean((0, 2))),
        "coverage_standard_error": ("n_steps", np.full(lengths.size, 0.03)),
        "fitted_count": ("n_steps", np.full(lengths.size, n_seeds)),
        "outlier_count": ("n_steps", np.zeros(lengths.size, int)),
        "bound": (dims[1:], size),
        "bound_standard_error": (dims[1:], 0.02 * size),
        "efficiency": (dims[1:], size**2 / np.nanmean(interior**2, axis=0)),
        "efficiency_standard_error": (dims[1:], np.full(size.shape, 0.3)),
        "mean_efficiency": ("n_steps", np.full(lengths.size, 0.97)),
        "mean_efficiency_standard_error": ("n_steps", np.full(lengths.size, 0.1)),
    }
    coordinates = {"seed": np.arange(n_seeds), "n_steps": lengths, "parameter": AGENT}
    return xr.Dataset(variables, coordinates, {"slope_from": 2000, "confidence_level": 0.95})


def identifiability(truth: bool = True, definite: bool = True, seed: int = 9) -> xr.Dataset:
    """Slightly skewed profiles of an estimate near the truth; kind identifiability."""
    random = np.random.default_rng(seed)
    n, n_points = len(AGENT), 9
    factor = random.normal(size=(n, n))
    information = 400.0 * (factor @ factor.T / n + 0.1 * np.eye(n))
    spread = np.append(np.sqrt(np.diag(np.linalg.inv(information))), 0.3)
    eta = unconstrained(TRUTH) + 0.5 * spread[:n] * random.choice([-1.0, 1.0], n)
    eigenvalues, vectors = np.linalg.eigh(information)
    covariance = np.linalg.inv(information)
    root = np.tile(np.linspace(-4.0, 4.0, n_points), (n + 1, 1))
    offset = spread[:, None] * root * (1 + 0.02 * root)

    def values(offsets):
        moved = np.array(offsets, dtype=float)
        for k in range(n):
            row = np.tile(eta, (moved.shape[1], 1))
            row[:, k] += moved[k]
            moved[k] = natural(row)[:, k]
        return moved

    interval = values(spread[:, None] * np.array([-1.9, 2.0]))
    wald = values(spread[:, None] * np.array([-1.96, 1.96]))
    shape = (n + 1, n_points)
    points, square = ("profile", "point"), ("parameter", "parameter_other")
    variables = {
        "direction": (("profile", "parameter"), np.vstack([np.eye(n), vectors[:, 0]])),
        "wald_standard_deviation": ("profile", spread),
        "offset": (points, offset),
        "profile_log_likelihood": (points, -4000.0 - 0.5 * root**2),
        "profile_parameters": ((*points, "parameter"), np.broadcast_to(TRUTH, (*shape, n)).copy()),
        "profile_converged": (points, np.ones(shape, dtype=bool)),
        "stop_reason": (points, np.full(shape, "converged", dtype=object)),
        "n_evaluations": (points, np.full(shape, 9)),
        "estimate": ("parameter", natural(eta)),
        "log_likelihood": ((), -4000.0),
        "information": (square, information),
        "information_positive_definite": ((), definite),
        "correlation": (
            square,
            covariance / np.outer(spread[:n], spread[:n]) if definite else np.full((n, n), np.nan),
        ),
        "eigenvalue": ("rank", eigenvalues if definite else eigenvalues - 2 * eigenvalues[0]),
        "loading": (("rank", "parameter"), vectors.T),
        "sentence": ("rank", np.full(n, "The data can hardly tell.", dtype=object)),
        "standardized_eigenvalue": ("rank", eigenvalues / eigenvalues.mean()),
        "standardized_loading": (("rank", "parameter"), vectors.T),
        "standardized_sentence": ("rank", np.full(n, "The data can hardly tell.", dtype=object)),
        "value": (points, values(offset)),
        "signed_root": (points, root),
        "profile_lower": ("profile", interval[:, 0]),
        "profile_upper": ("profile", interval[:, 1]),
        "lower_open": ("profile", np.zeros(n + 1, dtype=bool)),
        "upper_open": ("profile", np.zeros(n + 1, dtype=bool)),
        "wald_lower": ("profile", wald[:, 0] if definite else np.full(n + 1, np.nan)),
        "wald_upper": ("profile", wald[:, 1] if definite else np.full(n + 1, np.nan)),
    }
    if truth:
        away = np.append(unconstrained(TRUTH) - eta, 0.1)
        variables |= {
            "truth_offset": ("profile", away),
            "truth_profile_log_likelihood": ("profile", np.full(n + 1, -4000.1)),
            "truth_converged": ("profile", np.ones(n + 1, dtype=bool)),
            "truth": ("profile", values(away[:, None])[:, 0]),
            "truth_likelihood_ratio": ("profile", np.full(n + 1, 0.2)),
        }
    coordinates = {
        "parameter": AGENT,
        "parameter_other": AGENT,
        "profile": [*AGENT, "weakest_direction"],
        "point": np.arange(n_points),
        "rank": np.arange(n),
        "unit": ("parameter", [parameter.unit for parameter in AGENT_PARAMETERS]),
    }
    attributes = {"confidence_level": 0.95, "likelihood_cut": 3.841458820694124}
    return xr.Dataset(variables, coordinates, attributes)


def optimization(n_starts: int = 30, seed: int = 8) -> xr.Dataset:
    """Climbs that near the best geometrically, each method by its own factor; kind optimization."""
    random = np.random.default_rng(seed)
    n_iterations, best = 120, -5000.0
    factor = np.array([0.97, 0.9, 0.7])[:, None, None] ** np.arange(n_iterations)
    gap = random.uniform(40, 90, (3, 3, 1)) * factor
    gap[2, :, 80:] = np.nan
    cost = np.where(np.isfinite(gap), 1.0 + np.arange(n_iterations), np.nan)
    ends = best - 1e-8 * random.random((2, n_starts))
    ends[0, :4], ends[0, 4], ends[1, 0] = best - 250.0, np.nan, best - 3.0
    reached = ends >= best - 0.01
    stop = np.where(reached, "converged", "L-BFGS: abnormal").astype(object)
    runs, trials = ("method", "start"), ("choice", "trial")
    gaps = np.array([1.0, 0.1, 0.01])
    within = gap[..., None, :] <= gaps[:, None]
    to_gap = np.where(within.any(-1), 1.0 + within.argmax(-1), np.inf)
    em = np.array([80.0, 60.0])[:, None] * np.array([0.96, 0.9])[:, None] ** np.arange(90)
    within = em[:, None, :] <= gaps[:, None]
    variables = {
        "best_log_likelihood": ((), best),
        "gap": ("gap_index", gaps),
        "history_log_likelihood": ((*runs, "iteration"), best - gap),
        "history_evaluations": ((*runs, "iteration"), cost),
        "history_seconds": ((*runs, "iteration"), 0.03 * cost),
        "evaluations_to_gap": ((*runs, "gap_index"), to_gap),
        "end_log_likelihood": (trials, ends),
        "end_converged": (trials, reached),
        "end_stop_reason": (trials, stop),
        "end_distance": (trials, np.where(reached, 1e-4, 9.0)),
        "reached_share": ("choice", reached.mean(1)),
        "reached_lower": ("choice", reached.mean(1) - 0.1),
        "reached_upper": ("choice", np.minimum(1.0, reached.mean(1) + 0.1)),
        "diffusion_maximum": ("diffusion", np.array([-5100.0, -4900.0])),
        "diffusion_history_log_likelihood": (
            ("diffusion", "em_iteration"),
            np.array([-5100.0, -4900.0])[:, None] - em,
        ),
        "diffusion_evaluations_to_gap": (
            ("diffusion", "gap_index"),
            np.where(within.any(-1), 1.0 + within.argmax(-1), np.inf),
        ),
    }
    coordinates = {
        "method": ["em", "squarem", "quasi_newton"],
        "choice": ["drawn", "chosen"],
        "start": np.arange(3),
        "trial": np.arange(n_starts),
        "diffusion": [0.5, 1.0],
    }
    return xr.Dataset(variables, coordinates, {"confidence_level": 0.95, "max_evaluations": 120})


def population(n_agents: int = 40, seed: int = 8) -> xr.Dataset:
    """Estimates of drawn agents that err as their standard errors say; kind population."""
    random = np.random.default_rng(seed)
    levels = np.array([0.5, 0.8, 0.95])
    truth = TRUTH * random.uniform(0.7, 1.3, (n_agents, len(AGENT)))
    size = 0.1 * TRUTH
    z = random.normal(size=truth.shape)
    status = np.array(["converged"] * n_agents, dtype=object)
    status[:3] = ["at_bound", "not_converged", "degenerate_record"]
    identified = status == "converged"
    estimate = truth + size * z
    error = (estimate - truth)[identified]
    z[~identified] = np.nan
    covered = np.abs(z)[..., None] <= np.array([0.674, 1.282, 1.960])
    correlation = [np.corrcoef(t, e)[0, 1] for t, e in zip(truth.T, estimate.T, strict=True)]
    several = np.arange(n_agents) % 20 == 0
    radius = np.where(several[:, None], [0.7, 0.8, 1.05], [0.7, np.nan, np.nan])
    cells, each = ("agent", "parameter"), ("parameter",)
    variables = {
        "truth": (cells, truth),
        "estimate": (cells, estimate),
        "standard_error": (cells, np.broadcast_to(size, truth.shape).copy()),
        "z_score": (cells, z),
        "covered": ((*cells, "level"), covered),
        "identified": ("agent", identified),
        "status": ("agent", status),
        "remarks": ("agent", np.array([""] * n_agents, dtype=object)),
        "log_likelihood": ("agent", np.full(n_agents, -4000.0)),
        "likelihood_ratio": ("agent", random.chisquare(10, n_agents)),
        "n_fixed_points": ("agent", np.where(several, 3, 1)),
        "n_attracting": ("agent", np.where(several, 2, 1)),
        "radius": (("agent", "fixed_point"), radius),
        "policy_difference": (("agent", "fixed_point"), np.where(radius > 0.75, 0.5, 0 * radius)),
        "correlation": (each, np.array(correlation)),
        "concordance": (each, np.array(correlation)),
        "bias": (each, error.mean(0)),
        "bias_standard_error": (each, error.std(0) / np.sqrt(len(error))),
        "rmse": (each, np.sqrt((error**2).mean(0))),
        "median_relative_error": (each, np.median(np.abs(error) / truth[identified], 0)),
        "z_mean": (each, np.nanmean(z, 0)),
        "z_standard_deviation": (each, np.nanstd(z, 0)),
        "coverage": (("parameter", "level"), covered[identified].mean(0)),
        "coverage_band_lower": ("level", levels - 2 * np.sqrt(levels * (1 - levels) / n_agents)),
        "coverage_band_upper": ("level", np.minimum(1.0, levels + 0.1)),
        "pooled_coverage": ("level", covered[identified].mean((0, 1))),
        "pooled_coverage_standard_error": ("level", np.full(3, 0.02)),
    }
    coordinates = {"agent": np.arange(n_agents), "parameter": AGENT, "level": levels}
    return xr.Dataset(variables, coordinates, {"band_probability": 0.95})
