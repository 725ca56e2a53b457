"""Simulate an agent with its own beliefs in a world with its own parameters."""

from __future__ import annotations

import numpy as np

from inverse_rational_control.agent import _simulation_kernel
from inverse_rational_control.agent.beliefs import cue_distribution
from inverse_rational_control.agent.model import AgentModel
from inverse_rational_control.parameters import BOX_PARAMETERS
from inverse_rational_control.record import Record
from inverse_rational_control.task import MIDDLE, OPENED_BOX, Task

__all__ = ["simulate", "simulate_tables"]


def _cumulative(probability: np.ndarray) -> np.ndarray:
    """Cumulative sums over the last axis; above 1 from the last possible outcome on."""
    possible = np.flip(np.cumsum(np.flip(probability > 0, -1), -1), -1)
    more_to_come = possible - (probability > 0) > 0
    return np.where(more_to_come, np.cumsum(probability, -1), 2.0)


def simulate(
    model: AgentModel,
    world: np.ndarray,
    n_steps: int,
    rng: np.random.Generator,
    location: int = MIDDLE,
) -> Record:
    """Simulate one session (docs/model.md section 1).

    The world starts from its stationary distribution, the agent with each pair of belief bins equally
    likely. With the same generator, a shorter record is a prefix of a longer one.

    Parameters
    ----------
    model : AgentModel
        The agent; its plan must have converged.
    world : ndarray, shape (6,)
        The world's parameters, in the order of `parameters.WORLD_PARAMETERS`.
    n_steps : int
    rng : numpy.random.Generator
    location : int
        Where the agent starts.

    Returns
    -------
    Record
        With the true food and belief bins.

    Raises
    ------
    ValueError
        If the agent's planner was not solved.
    """
    if not model.plan.converged:
        raise ValueError(
            f"the planner found no solution for this agent (residual {model.plan.residual:.3g}); "
            "nothing can be simulated from it"
        )
    task = model.task
    boxes = [box.steps(task.n_cues + (task.cue_share < 1)) for box in model.boxes]
    return simulate_tables(
        np.moveaxis(np.exp(model.log_policy), 2, -1),
        tuple(box.kernel for box in boxes),
        tuple(box.reset_kernel for box in boxes),
        task,
        world,
        n_steps,
        rng,
        location,
    )


def simulate_tables(
    policy: np.ndarray,
    kernels: tuple[np.ndarray, np.ndarray],
    reset_kernels: tuple[np.ndarray, np.ndarray],
    task: Task,
    world: np.ndarray,
    n_steps: int,
    rng: np.random.Generator,
    location: int,
) -> Record:
    """Simulate one session of any agent that is given by its tables; see `simulate`.

    Parameters
    ----------
    policy : ndarray, shape (3, N, N, 5) or (layers, 3, N, N, 5)
        P(action | location, bin 1, bin 2); with layers, given the action before: one for each and a last
        one for none, or one for all.
    kernels : pair of ndarray, shape (C, N, N)
        Each box's belief step, [cue, from, to]; one more, of no cue, where cues may be absent.
    reset_kernels : pair of ndarray, shape (C, N)
        Each box's belief after a push there, [cue, to].
    task : Task
        Says who can go where, and which cues there are.
    world : ndarray, shape (6,)
    n_steps : int
    rng : numpy.random.Generator
    location : int
        Where the agent starts.
    """
    world = np.asarray(world, dtype=float)
    appearance, disappearance, present, absent = (
        world[list(places)] for places in zip(*BOX_PARAMETERS, strict=True)
    )
    cues = np.stack([cue_distribution(task.n_cues, p) for p in (absent[0], present[0])])
    record = np.empty((n_steps, 9), dtype=np.int64)
    certain = task.cue_share == 1 and np.isin(task.arrival, (0.0, 1.0)).all()
    _simulation_kernel.simulate_foraging(
        _simulation_kernel.Agent(
            _cumulative(policy if policy.ndim == 5 else policy[None]),
            *(_cumulative(kernel) for kernel in kernels),
            *(_cumulative(kernel) for kernel in reset_kernels),
        ),
        _simulation_kernel.World(
            _cumulative(task.arrival),
            OPENED_BOX,
            appearance,
            disappearance,
            _cumulative(cues),
            float(task.cue_share),
        ),
        rng.random((n_steps, 7 if certain else 10)),
        location,
        record,
    )
    names = ("location", "action", "reward", "cue_1", "cue_2")
    names += ("food_1", "food_2", "belief_bin_1", "belief_bin_2")
    columns = {name: np.ascontiguousarray(record[:, k]) for k, name in enumerate(names)}
    return Record.from_columns({"session": np.zeros(n_steps, dtype=np.int64)} | columns)
