"""Records: simulated, or read from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from inverse_rational_control.agent.simulation import simulate as simulate_model
from inverse_rational_control.front_door.actors import (
    Agent,
    World,
    extras_of,
    parameters_of,
    solved,
)
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.recordings import reading
from inverse_rational_control.task import Task

__all__ = ["read_record", "simulate"]


def simulate(
    agent: Agent | Fit | np.ndarray,
    world: World,
    n_steps: int,
    task: Task | None = None,
    seed: int = 0,
) -> Record:
    """Simulate one session of an agent in a world (docs/model.md, sections on world and agent).

    Parameters
    ----------
    agent : Agent, Fit or ndarray
        The agent; of a fit, the one with the estimated parameters.
    world : World
    n_steps : int
    task : Task, optional
        The paper's if not given.
    seed : int

    Returns
    -------
    Record
        With the true food and belief bins.

    Raises
    ------
    ValueError
        If the agent's planner finds no solution.

    Examples
    --------
    >>> record = simulate(Agent(), World(), n_steps=100, seed=3)
    >>> record.n_steps, record.cue.shape
    (100, (100, 2))
    """
    rng = stream(seed, "front door", "record")
    model = solved(parameters_of(agent), task or Task(), extras_of(agent))
    return simulate_model(model, world.vector, n_steps, rng)


def read_record(path: str | Path, task: Task | None = None) -> Record:
    r"""Read and check an animal's record from a CSV or NetCDF file; rows are steps, in order.

    Parameters
    ----------
    path : str or Path
        A CSV file with the columns location, action, reward, cue_1, cue_2, and optionally session and
        step; or a NetCDF record.
    task : Task, optional
        The paper's if not given; its number of cues must be the record's.

    Raises
    ------
    RecordError, DatasetError
        In one line: file, column, row (counting data rows from 0), what was found and is allowed.

    Examples
    --------
    >>> lines = ["location,action,reward,cue_1,cue_2", "0,2,0,1,3", "1,4,0,2,2"]
    >>> _ = Path("monkey.csv").write_text("\n".join(lines))
    >>> read_record("monkey.csv").cue.tolist()
    [[1, 3], [2, 2]]
    """
    return reading.read_record(path, task or Task())
