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


def sensitivity(n_seeds: int = 4, seed: int = 8) -> xr.Dataset:
    """Unbiased matched fits, biased mismatched ones, three decoders; kind sensitivity."""
    random = np.random.default_rng(seed)
    n_bins = np.array([10, 5, 5, 20, 20, 10, 10, 10])
    diffusion = np.array([0.05, 0.1, 0.05, 0.025, 0.05, 0.025, 0.1, 0.05])
    discount = np.array([0.99] * 7 + [0.9])
    setting = ["task", "bins5", "bins5_same_diffusion", "bins20", "bins20_same_diffusion"]
    setting += ["diffusion0.25", "diffusion1", "discount0.9"]
    cells = (2, len(setting), n_seeds)
    standard_error = np.array([0.035, 0.03, 0.025, 0.02, 0.03, 0.03, 0.02, 0.02, 0.02, 0.008])
    standard_error = standard_error * (1 + 0.3 * random.random((2, len(setting), 1, len(AGENT))))
    standard_error = np.broadcast_to(standard_error, (*cells, len(AGENT))).copy()
    standardized = random.normal(size=(*cells, len(AGENT)))
    standardized[1, 1:] += 3 * random.normal(size=(len(setting) - 1, 1, len(AGENT)))
    error = standardized * standard_error
    likelihood = -4000.0 + random.normal(0, 30, (2, 1, n_seeds)) - np.zeros(cells)
    likelihood[1, 1:] -= random.gamma(1.0, 8.0, (len(setting) - 1, n_seeds))
    dims, by_parameter = ("design", "setting", "seed"), ("design", "setting", "parameter")
    pooled = standardized[0].reshape(-1, len(AGENT))
    shift = standardized[1] - standardized[1, :1]
    levels = (np.arange(10) + 0.5) / 10
    by_level = ("decoder", "box", "level")
    diagram = np.broadcast_to(levels, (3, 2, 10))
    variables = {
        "truth": ("parameter", TRUTH),
        "n_bins": ("setting", n_bins),
        "diffusion": ("setting", diffusion),
        "discount": ("setting", discount),
        "estimate": ((*dims, "parameter"), TRUTH + error),
        "error": ((*dims, "parameter"), error),
        "standard_error": ((*dims, "parameter"), standard_error),
        "standardized_error": ((*dims, "parameter"), standardized),
        "status": (dims, np.full(cells, "converged", dtype="U16")),
        "log_likelihood": (dims, likelihood),
        "likelihood_ratio": (dims, random.chisquare(10, cells)),
        "decoded_correlation": ((*dims, "box"), 0.95 + 0.01 * random.normal(size=(*cells, 2))),
        "decoded_rmse": ((*dims, "box"), 0.1 + 0.01 * random.random((*cells, 2))),
        "mean_error": (by_parameter, error.mean(2)),
        "mean_error_standard_error": (by_parameter, error.std(2, ddof=1) / np.sqrt(n_seeds)),
        "mean_standard_error": (by_parameter, standard_error.mean(2)),
        "mean_standardized_error": (by_parameter, standardized.mean(2)),
        "mean_shift": (("setting", "parameter"), shift.mean(1)),
        "mean_shift_standard_error": (
            ("setting", "parameter"),
            shift.std(1, ddof=1) / np.sqrt(n_seeds),
        ),
        "pooled_bias": ("parameter", pooled.mean(0)),
        "pooled_bias_standard_error": ("parameter", pooled.std(0, ddof=1) / np.sqrt(len(pooled))),
        "converged_count": (dims[:2], np.full(cells[:2], n_seeds)),
        "at_bound_count": (dims[:2], np.zeros(cells[:2], int)),
        "unconverged_count": (dims[:2], np.zeros(cells[:2], int)),
        "log_likelihood_loss": (("setting", "seed"), (likelihood[0, 0] - likelihood[1]) / 5000),
        "decoder_correlation": (("decoder", "box"), np.array([[0.96] * 2, [0.95] * 2, [0.8] * 2])),
        "decoder_rmse": (("decoder", "box"), np.array([[0.1] * 2, [0.11] * 2, [0.2] * 2])),
        "decoder_log_score": (("decoder", "box"), np.array([[-1.0] * 2, [-1.1] * 2, [-1.4] * 2])),
        "log_score_gain": (("decoder", "box"), np.array([[0.4] * 2, [0.3] * 2, [0.0] * 2])),
        "log_score_gain_standard_error": (("decoder", "box"), np.full((3, 2), 0.02)),
        "calibration_predicted": (by_level, diagram),
        "calibration_observed": (by_level, diagram + 0.01 * random.normal(size=diagram.shape)),
        "calibration_standard_error": (by_level, np.full(diagram.shape, 0.01)),
        "calibration_count": (by_level, np.full(diagram.shape, 5000)),
        "calibration_variance": (by_level, np.full(diagram.shape, 500.0)),
    }
    coordinates = {
        "design": ["matched", "mismatched"],
        "setting": setting,
        "seed": np.arange(n_seeds),
        "parameter": AGENT,
        "box": [1, 2],
        "decoder": ["truth", "estimate", "cues"],
        "level": levels,
    }
    attributes = {"task": json.dumps(TASK), "n_steps": 5000, "block_steps": 100, "n_blocks": 50}
    return xr.Dataset(variables, coordinates, attributes)


def alternatives(n_pairs: int = 6, n_replicates: int = 5, seed: int = 8) -> xr.Dataset:
    """The full model, two reduced ones (one of them wrong) and a floor; kind alternatives."""
    random = np.random.default_rng(seed)
    models, sizes = ["full", "true_rewards", "wrong_rewards", "memoryless"], [10, 7, 7, 36]
    n_steps, pairs, cells = 5000, ("pair", "model"), ("generating", "replicate")
    recovered = [name for name in models if name != "wrong_rewards"]
    counts = np.array([sizes[models.index(name)] for name in recovered])
    held_out = np.array([0.0, 1.5, -80.0, -300.0]) + random.normal(0, 1, (n_pairs, 4))
    held_out -= held_out[:, :1]
    excess = np.tile([0.0, -1.5, -82.0, -290.0], (n_pairs, 1))
    free = np.ones((4, 10), dtype=bool)
    free[1:3, 6:9], free[3] = False, False
    log_likelihood = np.array(
        [[-5000.0, -5040.0, -5300.0], [-5000.0, -5001.5, -5300.0], [-5000.0, -5100.0, -4700.0]]
    )
    log_likelihood = np.repeat(log_likelihood[:, None], n_replicates, axis=1)
    brute_force = 200.0 * np.arange(1, 65) ** -0.3
    surplus = np.array(sizes) - 10
    variables = {
        "truth": ("parameter", TRUTH),
        "is_free": (("model", "parameter"), free),
        "well_specified": ("model", np.array([True, True, False, False])),
        "n_parameters": ("model", np.array(sizes)),
        "status": (pairs, np.full((n_pairs, 4), "converged", dtype=object)),
        "held_out_difference": (pairs, held_out / n_steps),
        "held_out_mean": ("model", held_out.mean(0) / n_steps),
        "held_out_standard_error": (
            "model",
            held_out.std(0, ddof=1) / np.sqrt(n_pairs) / n_steps,
        ),
        "held_out_per_step": ("model", -1.0 + held_out.mean(0) / n_steps),
        "missed": ("pair", np.zeros(n_pairs)),
        "excess_log_likelihood": (pairs, excess),
        "relative_error": (
            ("model", "parameter"),
            np.where(free, random.uniform(0.02, 0.5, (4, 10)), np.nan),
        ),
        "aic_difference": (pairs, 2.0 * surplus - 2.0 * excess),
        "bic_difference": (pairs, np.log(n_steps) * surplus - 2.0 * excess),
        "recovery_status": (
            (*cells, "chosen"),
            np.full(log_likelihood.shape, "converged", dtype=object),
        ),
        "recovery_log_likelihood": ((*cells, "chosen"), log_likelihood),
        "recovery_missed": (cells, np.zeros((3, n_replicates))),
        "n_discarded": (cells, np.zeros((3, n_replicates), dtype=np.int64)),
        "brute_force_gap": ("evaluation", brute_force),
        "search_gap": ("iteration", 80.0 * 0.3 ** np.arange(30)),
        "search_evaluations": ("iteration", np.arange(8, 38)),
    }
    for name, penalty in (("aic", 2.0), ("bic", np.log(n_steps))):
        chosen = np.argmin(penalty * counts - 2.0 * log_likelihood, -1)
        confusion = (chosen[..., None] == np.arange(3)).mean(1)
        with np.errstate(invalid="ignore"):
            inversion = confusion / confusion.sum(0)
        variables |= {
            f"chosen_by_{name}": (cells, chosen),
            f"confusion_{name}": (("generating", "chosen"), confusion),
            f"inversion_{name}": (("generating", "chosen"), inversion),
        }
    coordinates = {
        "model": models,
        "generating": recovered,
        "chosen": recovered,
        "parameter": AGENT,
        "pair": np.arange(n_pairs),
        "evaluation": np.arange(1, 65),
    }
    return xr.Dataset(variables, coordinates, {"n_steps": n_steps, "recovery_steps": n_steps})
