"""Statistics of foraging behavior, distances between them, and models compared (paper's Figure 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inverse_rational_control.agent.model import AgentModel
from inverse_rational_control.agent.simulation import simulate
from inverse_rational_control.record import Record
from inverse_rational_control.task import DESTINATION, N_ACTIONS, N_LOCATIONS, PUSH

__all__ = [
    "LONGEST_INTERVAL",
    "STATISTICS",
    "BehaviorCounts",
    "ModelComparison",
    "behavior_counts",
    "behavior_distances",
    "compare_models",
    "event_intervals",
    "null_distances",
    "resimulate",
    "resimulated_records",
    "stacked_counts",
    "value_band",
]

#: Intervals of this many steps or more share the last entry.
LONGEST_INTERVAL = 40

#: The four statistics, and how two agents' are compared.
STATISTICS = {
    "action": "total variation",
    "location": "total variation",
    "push_interval": "Kolmogorov-Smirnov",
    "travel_interval": "Kolmogorov-Smirnov",
}


@dataclass(frozen=True)
class BehaviorCounts:
    """Counts of one agent, or (with a leading dimension) of many replicates.

    Attributes
    ----------
    action : ndarray, shape (..., 5)
    location : ndarray, shape (..., 3)
    push_interval, travel_interval : ndarray, shape (..., LONGEST_INTERVAL)
        Steps from one push (or one move to another location) to the next, within a session;
        entry k counts intervals of k + 1 steps.
    """

    action: np.ndarray
    location: np.ndarray
    push_interval: np.ndarray
    travel_interval: np.ndarray

    def frequency(self, statistic: str) -> np.ndarray:
        """Counts of a statistic divided by their sum; NaN where there are none."""
        return _normalized(getattr(self, statistic))


def event_intervals(happens: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Steps from each event to the next one of the same session.

    Parameters
    ----------
    happens, starts : ndarray of bool, shape (T,)
        At which steps the event happens, and sessions start.
    """
    when = np.flatnonzero(happens)
    session = np.cumsum(starts)[when]
    return np.diff(when)[session[1:] == session[:-1]]


def _interval_counts(happens: np.ndarray, starts: np.ndarray) -> np.ndarray:
    intervals = np.minimum(event_intervals(happens, starts), LONGEST_INTERVAL)
    return np.bincount(intervals, minlength=LONGEST_INTERVAL + 1)[1:]


def behavior_counts(record: Record) -> BehaviorCounts:
    """Count actions, locations, intervals between pushes and between travels of a record.

    A push counts wherever it is made; a travel is a "go" that leads to another location.
    """
    moves = DESTINATION[record.location, record.action] != record.location
    return BehaviorCounts(
        np.bincount(record.action, minlength=N_ACTIONS),
        np.bincount(record.location, minlength=N_LOCATIONS),
        _interval_counts(record.action == PUSH, record.session_starts),
        _interval_counts(moves, record.session_starts),
    )


def resimulated_records(
    models: Sequence[AgentModel],
    world: np.ndarray,
    recorded: Record,
    n_replicates: int,
    rng: np.random.Generator,
) -> Iterator[Record]:
    """Simulate agents in the sessions of a record, one replicate after the other.

    Parameters
    ----------
    models : sequence of AgentModel
        Taken in turn; one agent, or draws from its posterior (docs/model.md section 10).
    world : ndarray, shape (6,)
    recorded : Record
        Every replicate has its sessions, each as long and from the same first location.
    n_replicates : int
    rng : numpy.random.Generator
    """
    begins = np.flatnonzero(recorded.session_starts)
    lengths = np.diff(np.append(begins, recorded.n_steps))
    for number in range(n_replicates):
        model = models[number % len(models)]
        sessions = [
            simulate(model, world, length, rng, recorded.location[begin])
            for begin, length in zip(begins, lengths, strict=True)
        ]
        joined = {
            name: np.concatenate([getattr(session, name) for session in sessions])
            for name in Record.__dataclass_fields__
        }
        yield Record(**joined | {"session": recorded.session})


def stacked_counts(counts: Sequence[BehaviorCounts]) -> BehaviorCounts:
    """Counts of several agents as one, leading dimension: replicate."""
    return BehaviorCounts(
        **{name: np.stack([getattr(one, name) for one in counts]) for name in STATISTICS}
    )


def resimulate(
    models: Sequence[AgentModel],
    world: np.ndarray,
    recorded: Record,
    n_replicates: int,
    rng: np.random.Generator,
) -> BehaviorCounts:
    """Behavior of the replicates that `resimulated_records` makes. Leading dimension: replicate."""
    records = resimulated_records(models, world, recorded, n_replicates, rng)
    return stacked_counts([behavior_counts(record) for record in records])


def _distance(statistic, one, other):
    """Distance between two distributions over the last axis.

    One agent that does something the other never does is as far away as can be (1); where neither does
    it there is nothing to compare (NaN).
    """
    if STATISTICS[statistic] == "total variation":
        distance = 0.5 * np.abs(one - other).sum(-1)
    else:
        distance = np.abs(np.cumsum(one - other, -1)).max(-1)
    neither = np.isnan(one).all(-1) & np.isnan(other).all(-1)
    return np.where(neither, np.nan, np.where(np.isfinite(distance), distance, 1.0))


def behavior_distances(recorded: BehaviorCounts, replicates: BehaviorCounts) -> np.ndarray:
    """Distance of one agent to the mean of replicates of another, per statistic; shape (4,)."""
    return np.array(
        [
            _distance(
                name,
                recorded.frequency(name),
                _normalized(getattr(replicates, name).sum(0)),
            )
            for name in STATISTICS
        ]
    )


def null_distances(replicates: BehaviorCounts) -> np.ndarray:
    """Distance of each replicate to the mean of all others; shape (replicates, 4).

    What `behavior_distances` gives when recorded and inferred agent are one and the same.
    """
    columns = []
    for name in STATISTICS:
        counts = getattr(replicates, name)
        others = counts.sum(0) - counts
        columns.append(_distance(name, replicates.frequency(name), _normalized(others)))
    return np.stack(columns, -1)


def _normalized(counts):
    with np.errstate(invalid="ignore", divide="ignore"):
        return counts / counts.sum(-1, keepdims=True)


@dataclass(frozen=True)
class ModelComparison:
    """Value functions and policies of two agents over all states, [location, bin 1, bin 2].

    Attributes
    ----------
    true_value, inferred_value : ndarray, shape (3, N, N)
        Mean over states removed: a constant changes nothing about behavior.
    policy_divergence : ndarray, shape (3, N, N)
        KL(true || inferred) of the action distributions, nats.
    uniform_divergence : ndarray, shape (3, N, N)
        KL(true || uniform over available actions), nats, to compare with.
    """

    true_value: np.ndarray
    inferred_value: np.ndarray
    policy_divergence: np.ndarray
    uniform_divergence: np.ndarray


def compare_models(true: AgentModel, inferred: AgentModel) -> ModelComparison:
    """Compare value functions (up to a constant) and policies of two agents on the same task.

    Policies are the plans': lapses and perseveration are left out.
    """
    policy = true.plan.policy
    log_true = np.where(policy > 0, true.plan.log_policy, 0.0)
    log_inferred = np.where(policy > 0, inferred.plan.log_policy, 0.0)
    n_available = true.task.available.sum(1)[:, None, None]
    return ModelComparison(
        true.plan.value - true.plan.value.mean(),
        inferred.plan.value - inferred.plan.value.mean(),
        (policy * (log_true - log_inferred)).sum(1),
        (policy * log_true).sum(1) + np.log(n_available),
    )


def value_band(models: Sequence[AgentModel], level: float) -> np.ndarray:
    """Central interval, over draws of an agent, of each state's value, the mean over states removed.

    Returns
    -------
    ndarray, shape (2, 3, N, N)
        Lower and upper end, [end, location, bin 1, bin 2].
    """
    values = np.stack([model.plan.value - model.plan.value.mean() for model in models])
    tail = 0.5 * (1.0 - level)
    return np.quantile(values, [tail, 1.0 - tail], axis=0)
