"""What is measured: the default study's agent and world, its records, random agents, a plain HMM."""

from __future__ import annotations

import functools

import numpy as np

from benchmarks.measure import ROOT
from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.chain.forward_backward import ChainInputs, ChainTables
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.loading import load_config
from inverse_rational_control.parameters import AGENT_PARAMETERS, agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.task import MIDDLE, Task

__all__ = [
    "FIXED_DIFFUSION",
    "agent_theta",
    "dense_transitions",
    "fit_settings",
    "plain_chain",
    "random_agents",
    "record",
    "task",
]

#: Diffusion that does not narrow with the bins: half a bin of the default grid.
FIXED_DIFFUSION = 0.05
_ROOT_SEED = 2019


@functools.cache
def _config() -> dict:
    return load_config(ROOT / "config" / "config.yaml")


def task(n_bins: int, diffusion: float | None = None) -> Task:
    """The default task at another number of bins, by default with a diffusion of half a bin."""
    return Task(n_bins=n_bins, n_cues=_config()["task"]["n_cues"], diffusion=diffusion)


def fit_settings() -> FitSettings:
    """How the default study fits."""
    return FitSettings(**_config()["fitting"])


def agent_theta() -> np.ndarray:
    """The default study's agent, shape (10,)."""
    return agent_vector(_config()["agent"])


def record(n_steps: int, n_bins: int, number: int = 0) -> Record:
    """A record of the default agent in the default world; another `number`, another record."""
    rng = stream(_ROOT_SEED, "benchmark record", number)
    model = agent_model(agent_theta(), task(n_bins))
    return simulate(model, world_vector(_config()["world"]), n_steps, rng)


def random_agents(n_agents: int) -> np.ndarray:
    """Agents drawn uniformly from the ranges that fits start in, shape (n_agents, 10)."""
    ranges = _config()["fitting"]["start_ranges"]
    low, high = np.array([ranges[parameter.name] for parameter in AGENT_PARAMETERS]).T
    return low + (high - low) * stream(_ROOT_SEED, "benchmark agents").random((n_agents, low.size))


def dense_transitions(tables: ChainTables, inputs: ChainInputs) -> np.ndarray:
    """The chain's transitions over joint states, as a general HMM takes them.

    Returns
    -------
    ndarray, shape (T - 1, N^2, N^2)
        [step, from, to] of the move into each step after the first; one session only.
    """
    n = tables.kernels_1.shape[1]
    full_1 = [np.stack([reset] * n) for reset in tables.resets_1]
    full_2 = [np.stack([reset] * n) for reset in tables.resets_2]
    known: dict[tuple[int, int, int], np.ndarray] = {}
    transitions = np.empty((inputs.n_steps - 1, n * n, n * n))
    moves = zip(inputs.kernel_1[1:], inputs.kernel_2[1:], inputs.reset[1:], strict=True)
    for step, move in enumerate(moves):
        if move not in known:
            cue_1, cue_2, reset = move
            known[move] = np.kron(
                full_1[cue_1] if reset == 1 else tables.kernels_1[cue_1],
                full_2[cue_2] if reset == 2 else tables.kernels_2[cue_2],
            )
        transitions[step] = known[move]
    return transitions


def plain_chain(model: AgentModel, n_steps: int) -> tuple[ChainTables, ChainInputs]:
    """A chain that a time-invariant HMM can express: an agent kept in the middle, its cues unseen.

    Beliefs move by the planner's transition, cues averaged out; each step emits one of five actions.
    """
    n = model.task.n_bins
    kernels = [box.planner_transition for box in model.boxes]
    resets = [box.planner_reset for box in model.boxes]
    tables = ChainTables(
        log_emissions=model.plan.log_policy[MIDDLE],
        kernels_1=kernels[0][None],
        kernels_2=kernels[1][None],
        resets_1=resets[0][None],
        resets_2=resets[1][None],
    )
    rng = stream(_ROOT_SEED, "benchmark plain chain")
    uniform = rng.random((n_steps, 3))
    cumulative = [np.cumsum(kernel, axis=1) for kernel in kernels]
    policy = np.cumsum(np.exp(tables.log_emissions), axis=0)
    bins = list(rng.integers(n, size=2))
    emitted = np.empty(n_steps, dtype=np.int32)
    for step, draws in enumerate(uniform):
        if step:
            bins = [
                min(n - 1, int(np.searchsorted(cumulative[k][bins[k]], draws[k]))) for k in (0, 1)
            ]
        chances = policy[:, bins[0], bins[1]]
        emitted[step] = min(chances.size - 1, np.searchsorted(chances, draws[2]))
    zero = np.zeros(n_steps, dtype=np.int32)
    reset = zero.copy()
    reset[0] = -1
    return tables, ChainInputs(emitted=emitted, kernel_1=zero, kernel_2=zero, reset=reset)
