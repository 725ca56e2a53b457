"""From parameters on: beliefs decoded, behavior simulated."""

from __future__ import annotations

from inverse_rational_control.foraging import behavior, decoding
from inverse_rational_control.foraging.mixture import decode_mixture
from inverse_rational_control.front_door.actors import (
    Actor,
    World,
    draws_of,
    extras_of,
    parameters_of,
    solved,
)
from inverse_rational_control.front_door.arguments import judge
from inverse_rational_control.front_door.one_thread import on_one_thread
from inverse_rational_control.inference.posterior import Posterior
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

__all__ = ["decode", "resimulate"]


@on_one_thread
def decode(record: Record, agent: Actor, task: Task | None = None) -> decoding.Decoding:
    """Decode an agent's beliefs at every step of a record, given the whole record.

    Parameters
    ----------
    record : Record
    agent : Agent, Fit, Posterior or ndarray
        With whose parameters; of a fit, the estimated ones; of a posterior, averaged over its draws.
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
        If the planner finds no solution, the record is impossible for such an agent, or the posterior
        has not converged.

    Examples
    --------
    >>> record = simulate(Agent(), World(), n_steps=300)
    >>> beliefs = decode(record, Agent())
    >>> beliefs.means.shape, bool((beliefs.means > 0).all())
    ((300, 2), True)
    """
    judge(locals())
    task, extras = task or Task(), extras_of(agent)
    if isinstance(agent, Posterior):
        return decode_mixture(draws_of(agent), record, task, agent.mode.estimate, extras)
    return decoding.decode(parameters_of(agent), record, task, extras)


@on_one_thread
def resimulate(
    record: Record,
    agent: Actor,
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
    agent : Agent, Fit, Posterior or ndarray
        Usually the fit or posterior of that record; of a posterior, its draws in turn.
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
        If the agent's planner finds no solution, or the posterior has not converged.

    Examples
    --------
    >>> record = simulate(Agent(), World(), n_steps=300)
    >>> resimulate(record, Agent(), World(), n_replicates=5).frequency("action").shape
    (5, 5)
    """
    judge(locals())
    rng = stream(seed, "front door", "resimulation")
    draws = draws_of(agent) if isinstance(agent, Posterior) else [parameters_of(agent)]
    models = [solved(theta, task or Task(), extras_of(agent)) for theta in draws]
    return behavior.resimulate(models, world.vector, record, n_replicates, rng)
