"""Seeded mutations of the configuration: each is accepted, or refused in one line; none takes long.

MUTATIONS=5000 in the environment runs so many (a few hundred otherwise).
"""

import os
import resource
import time
import warnings

import numpy as np
import pytest

from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.config.configuration import validate_config
from inverse_rational_control.config.errors import ConfigError
from inverse_rational_control.config.loading import task_from_config
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.parameter_ranges import draw_parameters
from inverse_rational_control.parameters import agent_vector, world_vector
from tests.config.mutations import defaults, mutation

N_MUTATIONS = int(os.environ.get("MUTATIONS", 400))
LONGEST_LINE, MOST_SECONDS, MOST_BYTES = 1500, 20.0, 2**28


def _accepted(seeds, folder):
    """Accepted configurations of some seeds; every other one must end in one line, and soon."""
    for seed in seeds:
        case, began, config = mutation(seed), time.perf_counter(), None
        try:
            config, _ = case.judged(folder)
        except ConfigError as error:
            line = str(error)
            assert line.isprintable() and 10 < len(line) < LONGEST_LINE, (seed, case.said, line)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {case.said[:300]}") from error
        assert time.perf_counter() - began < MOST_SECONDS, (seed, case.said)
        if config is not None:
            yield seed, config


def test_every_mutation_is_accepted_or_refused_in_one_line(tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    n_accepted = sum(1 for _ in _accepted(range(N_MUTATIONS), tmp_path))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < MOST_BYTES
    # Both must be frequent, or nothing is tested.
    assert 0.05 * N_MUTATIONS < n_accepted < 0.6 * N_MUTATIONS


def test_what_is_accepted_can_be_simulated_and_has_a_likelihood(tmp_path):
    base, _ = validate_config(defaults())
    sections = ("task", "world", "agent", "population", "fitting")
    tried = 0
    for seed, config in _accepted(range(10**6, 10**6 + N_MUTATIONS), tmp_path):
        if all(config[name] == base[name] for name in sections) or config["task"]["n_bins"] > 12:
            continue
        tried += 1
        rng, world, task = np.random.default_rng(1), world_vector(config["world"]), None
        task = task_from_config(config)
        agents = [
            agent_vector(config["agent"]),
            draw_parameters(config["population"]["ranges"], rng),
            draw_parameters(config["fitting"]["start_ranges"], rng),
        ]
        for theta in agents:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                record = simulate(agent_model(theta, task), world, 100, rng)
                evaluation = ForagingObjective(record, task).evaluate(theta)
            assert np.isfinite(evaluation.gradient).all(), (seed, mutation(seed).said)
    assert tried > N_MUTATIONS / 100


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("paper.n_starts", 10**30),
        ("recovery.n_seeds", 10**9),
        ("task.n_bins", 10**5),
        ("fitting.confidence_level", 1 - 1e-16),
        ("population.ranges.travel_cost", [-1e308, 1e308]),
        ("agent.appearance_rate_1", 5e-324),
        ("agent.temperature", 5e-324),
        ("task.discount", 1 - 1e-16),
        ("alternatives.search_doublings", 24),
        ("recovery.precisions", [5e-324, 0.1]),
    ],
)
def test_what_no_machine_can_do_is_refused(key, value):
    config = defaults()
    *sections, last = key.split(".")
    node = config
    for name in sections:
        node = node[name]
    node[last] = value
    with pytest.raises(ConfigError, match=rf"^{key}: found .*, allowed: "):
        validate_config(config)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"paper": {"n_steps": 10**7}, "task": {"n_bins": 50}}, "paper.n_steps: found 100.0 GB"),
        (
            {"recovery": {"n_seeds": 10**5, "batch_size": 1}},
            "recovery.batch_size: found 300004 jobs",
        ),
        ({"population": {"n_steps": 10**7, "n_agents": 10**5, "batch_size": 1}}, "jobs"),
        (
            {"population": {"n_steps": 10**7, "batch_size": 100, "n_agents": 200}},
            "steps in one job",
        ),
        ({"surface": {"n_points": 501}, "paper": {"n_steps": 10**7}, "task": {"n_bins": 10}}, None),
        ({"fitting": {"max_evaluations": 10**7}}, None),
    ],
)
def test_products_of_keys_are_bounded_and_warned_of(changes, said):
    config = defaults()
    for section, keys in changes.items():
        config[section] |= keys
    if said is None:
        _, told = validate_config(config)
        assert all(len(line.splitlines()) == 1 for line in told)
        assert bool(told) == ("surface" in changes)
        return
    with pytest.raises(ConfigError) as caught:
        validate_config(config)
    assert said in str(caught.value) and "allowed: at most" in str(caught.value)
