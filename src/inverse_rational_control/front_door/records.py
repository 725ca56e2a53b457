"""Records: simulated, read from files of steps or of events, and written."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inverse_rational_control.agent.simulation import simulate as simulate_model
from inverse_rational_control.config.animals import EventRules
from inverse_rational_control.front_door.actors import (
    Agent,
    World,
    extras_of,
    parameters_of,
    solved,
)
from inverse_rational_control.front_door.arguments import judge
from inverse_rational_control.front_door.one_thread import on_one_thread
from inverse_rational_control.inference.fit import Fit
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.recordings import reading
from inverse_rational_control.recordings.conversion import convert_events
from inverse_rational_control.recordings.dataset import RECORD, record_dataset
from inverse_rational_control.recordings.decisions import Decisions
from inverse_rational_control.recordings.layout import Layout
from inverse_rational_control.storage.contract import write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.task import Task

__all__ = ["EventSteps", "read_events", "read_record", "simulate", "write_record"]


@on_one_thread
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
    judge(locals())
    rng = stream(seed, "front door", "record")
    model = solved(parameters_of(agent), task or Task(), extras_of(agent))
    return simulate_model(model, world.vector, n_steps, rng)


def read_record(
    path: str | Path | Sequence[str | Path],
    task: Task | None = None,
    layout: Layout | None = None,
) -> Record:
    r"""Read and check an animal's record; rows are steps, in order.

    Parameters
    ----------
    path : str or Path, or several
        Tables (CSV and its kin) with the columns location, action, reward, cue_1, cue_2, and optionally
        session, step and time; or NetCDF records, as `write_record` makes them.
    task : Task, optional
        The paper's if not given; its number of cues must be the record's.
    layout : Layout, optional
        What the files call their columns, places and actions; the names above if not given.

    Warns
    -----
    UserWarning
        For what was read although it is unusual, such as an index column, and for cues that never occur.

    Raises
    ------
    RecordError, DatasetError
        One line per problem: file, column, row as a spreadsheet counts it (the header is row 1), what
        was found and is allowed.

    Examples
    --------
    >>> lines = ["location,action,reward,cue_1,cue_2", "0,2,0,1,3", "1,4,0,2,2", "1,1,1,0,4"]
    >>> _ = Path("monkey.csv").write_text("\n".join(lines))
    >>> read_record("monkey.csv").cue.tolist()
    [[1, 3], [2, 2], [0, 4]]
    """
    paths = _listed(path)
    judge(locals() | {"path": paths})
    recording = reading.read_recording(paths, task or Task(), layout)
    for remark in recording.remarks:
        warnings.warn(remark, stacklevel=2)
    return recording.record


def write_record(record: Record, path: str | Path, task: Task | None = None) -> None:
    """Write a record as a NetCDF file that `read_record` and `animals` of the configuration read.

    Its variables, each with its unit and meaning in its attributes, are session, location, action and
    reward by step, and cue by step and box (docs/recordings.md).

    Parameters
    ----------
    record : Record
    path : str or Path
        Ends in .nc.
    task : Task, optional
        That the record is of; the paper's if not given. It is kept in the file, and compared when the
        file is read.

    Raises
    ------
    RecordError, DatasetError
        If the record does not fit the task, or the file cannot be written.

    Examples
    --------
    >>> record = simulate(Agent(), World(), n_steps=300)
    >>> write_record(record, "monkey.nc")
    >>> read_record("monkey.nc").n_steps
    300
    """
    judge({"record": record, "task": task})
    if not (isinstance(path, str | Path) and Path(path).suffix.lower() in reading.NETCDF):
        raise ValueError(f"path: found {path!r}, allowed: a file name that ends in .nc")
    task = task or Task()
    record.check(task)
    write(
        record_dataset(record, task).assign_attrs(provenance({"root_seed": "none"})), path, RECORD
    )


def _listed(path: str | Path | Iterable[str | Path]) -> list:
    """Paths as a list; what is none stays, to be refused."""
    return [path] if isinstance(path, str | Path) or not isinstance(path, Iterable) else list(path)


@dataclass(frozen=True)
class EventSteps:
    """Steps made of events.

    Attributes
    ----------
    record : Record
    time : ndarray, shape (T,)
        When each step begins, seconds.
    session : list of str
        Name of each step's session.
    decisions : Decisions
        What the conversion decided: `.summary()` for people, `.counts`, `.rows()` for programs.
    """

    record: Record
    time: np.ndarray
    session: list[str]
    decisions: Decisions


def read_events(
    path: str | Path | Sequence[str | Path],
    step_width: float,
    task: Task | None = None,
    layout: Layout | None = None,
    **rules: Any,
) -> EventSteps:
    r"""Make steps of events in seconds (docs/recordings.md).

    Parameters
    ----------
    path : str or Path, or several
        Tables with the columns time (seconds), event, box, value.
    step_width : float
        Seconds per step.
    task : Task, optional
        The paper's if not given.
    layout : Layout, optional
        What the files call their columns, events and boxes, and which column is the subject or session.
    **rules
        As `animals.NAME.events` of the configuration: reward_window, longest_gap and so on.

    Raises
    ------
    RecordError, ConfigError
        One line per problem: what cannot be read, and what cannot be decided.

    Examples
    --------
    >>> lines = ["time,event,box,value", "0,enter,middle,", "0,cue,1,3", "0,cue,2,1", "1.4,enter,1,"]
    >>> lines += ["2.5,press,1,", "2.9,reward,1,", "4.1,leave,1,", "5.0,stop,,"]
    >>> _ = Path("events.csv").write_text("\n".join(lines))
    >>> steps = read_events("events.csv", step_width=1.0)
    >>> steps.record.location.tolist(), steps.record.action.tolist(), steps.record.reward.tolist()
    ([0, 0, 1, 1, 1], [0, 2, 4, 0, 1], [0, 0, 0, 1, 0])
    >>> steps.decisions.counts["heading_middle"]
    1
    """
    paths = _listed(path)
    judge(locals() | {"path": paths})
    task, rules = task or Task(), EventRules(step_width=float(step_width), **rules)
    converted = convert_events(paths, task, rules, layout)
    steps, names = dict(converted.steps), converted.steps["session"]
    for remark in converted.remarks:
        warnings.warn(remark, stacklevel=2)
    for name in ("session", "step"):
        del steps[name]
    time = steps.pop("time")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    session = np.array([numbers[name] for name in names], dtype=np.int64)
    record = Record.from_columns({"session": session, **steps})
    record.check(task, str(paths[0]))
    return EventSteps(record, time, list(names), converted.decisions)
