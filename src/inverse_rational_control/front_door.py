"""What a notebook needs, under one import: simulate, read, fit, decode, resimulate.

Plain values in, the library's own results out; every random number descends from `seed`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.agent.simulation import simulate as simulate_model
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.foraging import AgentSection, WorldSection
from inverse_rational_control.foraging import behavior, decoding
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import fit_from_random_starts
from inverse_rational_control.inference.bound_intervals import with_profile_intervals
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.parameters import agent_vector, world_vector
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.recordings import reading
from inverse_rational_control.task import Task

__all__ = ["Agent", "World", "decode", "fit", "read_record", "resimulate", "simulate"]


class World(WorldSection):
    """The world's six parameters; those of the paper where not given.

    Examples
    --------
    >>> World(appearance_rate_1=0.3).appearance_rate_1
    0.3
    """

    @property
    def vector(self) -> np.ndarray:
        """The parameters in order, shape (6,)."""
        return world_vector(self.model_dump())


class Agent(AgentSection):
    """The agent's ten parameters, natural coordinates; those of the paper where not given.

    Examples
    --------
    >>> Agent(temperature=0.1).vector.round(2)
    array([0.2 , 0.15, 0.1 , 0.08, 0.42, 0.66, 0.2 , 0.2 , 0.3 , 0.1 ])
    """

    @property
    def vector(self) -> np.ndarray:
        """The parameters in order, shape (10,)."""
        return agent_vector(self.model_dump())


def _parameters(agent: Agent | Fit | np.ndarray) -> np.ndarray:
    if isinstance(agent, Agent):
        return agent.vector
    return agent.estimate if isinstance(agent, Fit) else np.asarray(agent, dtype=float)


def _solved(agent: Agent | Fit | np.ndarray, task: Task) -> AgentModel:
    model = agent_model(_parameters(agent), task)
    if not model.plan.converged:
        raise ValueError(
            f"agent: the planner found no solution (residual {model.plan.residual:.3g}), allowed: "
            "agents whose Bellman equation can be solved"
        )
    return model


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
    agent : Agent, Fit or ndarray, shape (10,)
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
    return simulate_model(_solved(agent, task or Task()), world.vector, n_steps, rng)


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


def fit(
    record: Record,
    task: Task | None = None,
    n_starts: int = 4,
    n_reserve_starts: int = 4,
    seed: int = 0,
    fixed: Mapping[str, float] | None = None,
    tied: Sequence[Sequence[str]] = (),
    settings: FitSettings | None = None,
) -> Fit:
    """Infer an agent's parameters from its record by maximum likelihood.

    Parameters
    ----------
    record : Record
    task : Task, optional
        The paper's if not given.
    n_starts : int
        Optimizer starts, each the most likely of some drawn candidates.
    n_reserve_starts : int
        Further starts, taken one by one until two agree on the highest maximum.
    seed : int
        Of the drawn starts.
    fixed : mapping of str to float, optional
        Parameters held at a value, by name.
    tied : sequence of sequences of str
        Groups of parameters that share one value.
    settings : FitSettings, optional
        Method, tolerances, start ranges; those of the paper's run if not given.

    Returns
    -------
    Fit
        `.summary()` for people; `.status`, `.estimate`, `.intervals()`, `.information` for programs.
        Where the estimate is at a bound, intervals are by profile likelihood, at the level of the
        settings.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If a parameter is unknown, or fixed or tied twice.

    Examples
    --------
    >>> task = Task(n_bins=5)
    >>> record = simulate(Agent(), World(), n_steps=2000, task=task, seed=1)
    >>> found = fit(record, task, n_starts=1)
    >>> str(found.status), found.estimate.shape
    ('converged', (10,))
    >>> print(found.summary().splitlines()[0].split()[:3])
    ['parameter', 'unit', 'estimate']
    """
    objective = ForagingObjective(record, task or Task(), parameter_space(fixed, tied))
    found = fit_from_random_starts(
        objective,
        settings or FitSettings(),
        lambda number: stream(seed, "front door", "start", number),
        n_starts,
        n_reserve_starts,
    )
    return with_profile_intervals(found, objective)


def decode(
    record: Record, agent: Agent | Fit | np.ndarray, task: Task | None = None
) -> decoding.Decoding:
    """Decode an agent's beliefs at every step of a record, given the whole record.

    Parameters
    ----------
    record : Record
    agent : Agent, Fit or ndarray, shape (10,)
        With whose parameters; of a fit, the estimated ones.
    task : Task, optional
        The paper's if not given.

    Returns
    -------
    Decoding
        `.means`, shape (T, 2), [step, box]; `.posterior`, shape (T, N, N); `.path`, the most
        probable one.

    Raises
    ------
    RecordError
        If the record does not fit the task.
    ValueError
        If the planner finds no solution or the record is impossible for such an agent.

    Examples
    --------
    >>> record = simulate(Agent(), World(), n_steps=300)
    >>> beliefs = decode(record, Agent())
    >>> beliefs.means.shape, bool((beliefs.means > 0).all())
    ((300, 2), True)
    """
    return decoding.decode(_parameters(agent), record, task or Task())


def resimulate(
    record: Record,
    agent: Agent | Fit | np.ndarray,
    world: World,
    task: Task | None = None,
    n_replicates: int = 100,
    seed: int = 0,
) -> behavior.BehaviorCounts:
    """Simulate an agent many times in the sessions of a record, and count what it does.

    Parameters
    ----------
    record : Record
        Gives the sessions: how many, how long, where each begins.
    agent : Agent, Fit or ndarray, shape (10,)
        Usually the fit of that record.
    world : World
        The world that the recorded animal lived in.
    task : Task, optional
        The paper's if not given.
    n_replicates : int
    seed : int

    Returns
    -------
    BehaviorCounts
        Of every replicate; `.frequency("action")` and so on. `foraging.behavior.behavior_counts` gives
        the record's own.

    Raises
    ------
    ValueError
        If the agent's planner finds no solution.

    Examples
    --------
    >>> record = simulate(Agent(), World(), n_steps=300)
    >>> resimulate(record, Agent(), World(), n_replicates=5).frequency("action").shape
    (5, 5)
    """
    rng = stream(seed, "front door", "resimulation")
    model = _solved(agent, task or Task())
    return behavior.resimulate(model, world.vector, record, n_replicates, rng)
