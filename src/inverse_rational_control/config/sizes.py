"""How much work a configuration asks for: what no machine ends is refused, what is much is warned of.

Each key has bounds of its own; these are the products of keys. Times are rough, of one core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.recovery import long_batch_size

__all__ = ["judge_sizes", "remarks_on_values"]

_FIT = 0.15e-3  # seconds of one start per step of a record, with ten bins (rules/common.smk, too)
_EVALUATION = 1e-5  # seconds of one likelihood per step, with ten bins
_SIMULATION = 1e-6
_HOUR, _YEAR = 3600.0, 365.25 * 86400.0


@dataclass(frozen=True)
class _Size:
    """A product of keys: where it comes from, how large it is, what is sensible, what is allowed."""

    key: str
    found: float
    what: str
    sensible: float
    most: float
    said: str = "{:.3g}"  # how the numbers are written


def judge_sizes(config: Mapping[str, Any]) -> list[str]:
    """Judge what the keys of a validated configuration come to together.

    Returns
    -------
    list of str
        A line for each size that is beyond the sensible.

    Raises
    ------
    ConfigError
        On the first size that no machine can meet.
    """
    warnings = []
    for size in _sizes(config):
        found = size.said.format(size.found)
        if size.found > size.most:
            most = size.said.format(size.most)
            raise ConfigError(f"{size.key}: found {found} {size.what}, allowed: at most {most}")
        if size.found > size.sensible:
            sensible = size.said.format(size.sensible)
            warnings.append(
                f"{size.key}: {found} {size.what}, where more than {sensible} is unusual"
            )
    return warnings


def remarks_on_values(config: Mapping[str, Any]) -> list[str]:
    """Say which single values are allowed but beyond the sensible."""
    said = []
    bins = {config["task"]["n_bins"], *config["sensitivity"]["n_bins"]}
    if max(bins) > 25:
        said.append(
            f"n_bins: {max(bins)} bins take {(max(bins) / 10) ** 3:.0f} times as long as 10"
        )
    if config["task"]["n_cues"] > 20:
        said.append(f"task.n_cues: {config['task']['n_cues']} colors, where 5 are usual")
    if config["task"]["n_cues"] == 1:
        said.append(
            "task.n_cues: 1, so there are no cues, and q_1 and q_2 do not exist: Figures 1 to 5 and "
            "animals are made; Figures 6 to 12 are left out, whose truths, bounds and criteria are of "
            "all ten parameters"
        )
    for name in ("grooming_reward", "travel_cost", "push_cost"):
        if abs(config["agent"][name]) > 10:
            said.append(f"agent.{name}: {config['agent'][name]:g}, where food is worth 1")
    for name, section in config.items():
        if isinstance(section, Mapping) and section.get("n_starts", 0) > 1000:
            said.append(
                f"{name}.n_starts: {section['n_starts']} starts, where a few find the maximum"
            )
    return said


def _sizes(config: Mapping[str, Any]) -> Iterator[_Size]:
    paper = config["paper"]
    table = paper["n_steps"] * config["task"]["n_bins"] ** 2 * 4 / 1e9
    what = "GB of decoded beliefs on disk (4 n_steps n_bins^2 bytes)"
    yield _Size("paper.n_steps", table, what, 2.0, 10.0, "{:.1f}")
    yield from _steps_of_jobs(config)
    yield from _jobs(config)
    for key, seconds in _seconds(config):
        hours, most = seconds / _HOUR, 100 * _YEAR / _HOUR
        yield _Size(key, hours, "hours of computing, roughly", 2000.0, most, "{:.0f}")


def _steps_of_jobs(config: Mapping[str, Any]) -> Iterator[_Size]:
    """Steps that one job holds in memory."""
    held = []
    for study, records in (
        ("population", "n_agents"),
        ("calibration", "n_agents"),
        ("alternatives", "n_pairs"),
        ("sensitivity", "n_records"),
    ):
        if config[study]["enabled"]:
            held.append((study, records, config[study]["n_steps"]))
    what = "steps in one job (batch_size records)"
    for study, records, n_steps in held:
        together = min(config[study][records], config[study]["batch_size"]) * n_steps
        yield _Size(f"{study}.batch_size", together, what, 2.5e7, 1e8)
    recovery = config["recovery"]
    short = max([n for n in recovery["n_steps"] if n < recovery["long_from"]], default=0)
    together = max(
        long_batch_size(recovery) * max(recovery["n_steps"]),
        min(recovery["n_seeds"], recovery["batch_size"]) * short,
    )
    yield _Size("recovery.batch_size", together, what, 2.5e7, 1e8)


def _jobs(config: Mapping[str, Any]) -> Iterator[_Size]:
    """Jobs of each study: Snakemake plans some thousands of them within minutes."""
    recovery = config["recovery"]
    long = ceil(recovery["n_seeds_long"] / long_batch_size(recovery))
    n_short = sum(n < recovery["long_from"] for n in recovery["n_steps"])
    others = ceil((recovery["n_seeds"] - recovery["n_seeds_long"]) / recovery["batch_size"])
    counts = {"recovery": long * (1 + len(recovery["n_steps"])) + others * (1 + n_short)}
    counts["population"] = 3 * _batches(config["population"], "n_agents")
    counts["calibration"] = _batches(config["calibration"], "n_agents")
    alternatives, models = config["alternatives"], 2 + len(config["alternatives"]["models"])
    counts["alternatives"] = models * (
        _batches(alternatives, "n_pairs") + _batches(alternatives, "n_replicates")
    )
    sensitivity = config["sensitivity"]
    counts["sensitivity"] = 3 * _settings(sensitivity) * _batches(sensitivity, "n_records")
    optimization = config["optimization"]
    counts["optimization"] = 2 * _batches(optimization, "n_starts")
    for study, count in counts.items():
        if config[study].get("enabled", True):
            what = "jobs, roughly: larger batches make fewer"
            yield _Size(f"{study}.batch_size", count, what, 5_000, 20_000, "{:.0f}")


def _seconds(config: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Seconds of each study on one core, roughly: all its fits, or what else takes most of it."""
    slow = (config["task"]["n_bins"] / 10) ** 3 + 0.1
    paper, recovery = config["paper"], config["recovery"]
    fit, evaluation = _FIT * slow, _EVALUATION * slow
    yield "paper.n_steps", fit * paper["n_steps"] * _starts(paper)
    lengths = sum(
        n * recovery["n_seeds_long" if n >= recovery["long_from"] else "n_seeds"]
        for n in recovery["n_steps"]
    )
    yield "recovery.n_steps", fit * lengths * _starts(recovery)
    points = config["surface"]["n_points"] ** 2
    yield "surface.n_points", evaluation * points * paper["n_steps"]
    replicates = config["resimulation"]["n_replicates"]
    yield "resimulation.n_replicates", 2 * _SIMULATION * replicates * paper["n_steps"]
    if (population := config["population"])["enabled"]:
        again = population["search_again_share"] * population["n_search_again_starts"]
        steps = population["n_agents"] * population["n_steps"]
        yield "population.n_agents", fit * steps * (_starts(population) + again)
        if n_slow := population["n_slow_starts"]:
            steps = len(population["slow_agents"]) * population["n_slow_steps"]
            yield "population.n_slow_steps", fit * steps * (_starts(population) + n_slow)
    if (optimization := config["optimization"])["enabled"]:
        curves = 3 * optimization["n_curve_starts"] * optimization["max_evaluations"]
        seconds = fit * 2 * optimization["n_starts"] + evaluation * curves
        yield "optimization.n_starts", paper["n_steps"] * seconds
    if (identifiability := config["identifiability"])["enabled"]:
        points = 22 * identifiability["points_per_side"]
        yield "identifiability.points_per_side", fit * points * paper["n_steps"]
    if (alternatives := config["alternatives"])["enabled"]:
        models = 2 + len(alternatives["models"])
        steps = models * alternatives["n_pairs"] * alternatives["n_steps"]
        steps += models**2 * alternatives["n_replicates"] * alternatives["recovery_steps"]
        yield "alternatives.n_steps", fit * steps * _starts(alternatives)
        points = 2 ** alternatives["search_doublings"]
        yield "alternatives.search_doublings", evaluation * points * paper["n_steps"]
    if (sensitivity := config["sensitivity"])["enabled"]:
        slow = (max(sensitivity["n_bins"]) / 10) ** 3 + 0.1
        steps = 2 * _settings(sensitivity) * sensitivity["n_records"] * sensitivity["n_steps"]
        yield "sensitivity.n_steps", _FIT * slow * steps * _starts(sensitivity)
    if (calibration := config["calibration"])["enabled"]:
        steps = calibration["n_agents"] * calibration["n_steps"]
        yield "calibration.n_agents", fit * steps * (1 + calibration["n_starts"])


def _starts(section: Mapping[str, Any]) -> int:
    return section["n_starts"] + section["n_reserve_starts"]


def _batches(section: Mapping[str, Any], records: str) -> int:
    return ceil(section[records] / section["batch_size"])


def _settings(sensitivity: Mapping[str, Any]) -> int:
    return (
        2 * len(sensitivity["n_bins"])
        + len(sensitivity["diffusion_bins"])
        + len(sensitivity["discounts"])
    )
