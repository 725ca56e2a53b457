"""Draws from a density by the No-U-Turn Sampler (nutpie), with what went wrong on the way.

Source: Hoffman and Gelman (2014); docs/model.md section 10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference.search import Point
from inverse_rational_control.inference.straightened import Straightened
from inverse_rational_control.inference.verdict import jump_between, mismatch
from inverse_rational_control.inference.whitened import Whitened

__all__ = ["Chains", "nuts"]

_DISPERSION = 2.0  # standard deviations of the chains' starts, whitened coordinates
_TRIES = 100
_JUMP_NATS = 1.0  # mismatch between two points beyond which a jump of the density is suspected
_SUSPECTS, _BISECTIONS = 5, 12
_FIRST, _MORE = 300, 150  # draws of the first round, and of the others at most
_DIVERGENT_SHARE = 0.01
_CAREFUL = 0.9  # target acceptance of chains that diverged with a lower one
_TUNED_AGAIN = 50  # draws that tune all rounds but the first


@dataclass(frozen=True)
class Chains:
    """Draws of several chains, tuning left out.

    Attributes
    ----------
    z : ndarray, shape (chains, draws, k)
        The coordinates that were moved in.
    log_density : ndarray, shape (chains, draws)
        By these coordinates, nats.
    statistics : dict of str to ndarray, shape (chains, draws)
        The sampler's own, by ArviZ's names.
    n_at_walls : int
        Draws whose path ended where there is no density, as where no plan is found: these count as
        divergent too, but the sampler stays true.
    n_evaluations : int
        Gradients, tuning and the look for jumps included.
    exhausted : bool
        The limit of evaluations was met; draws after it are left out.
    jump_met : bool
        The density jumps between two points of a path (a fold of the planner).
    """

    z: np.ndarray
    log_density: np.ndarray
    statistics: dict[str, np.ndarray]
    n_at_walls: int
    n_evaluations: int
    exhausted: bool
    jump_met: bool

    @property
    def n_diverged(self) -> int:
        """Draws that diverged, those at walls left out."""
        return max(0, int(self.statistics["diverging"].sum()) - self.n_at_walls)

    @property
    def diverge_too_often(self) -> bool:
        """Whether so many diverged that the draws may miss a part of the density."""
        return self.n_diverged > _DIVERGENT_SHARE * self.log_density.size


Coordinates = Whitened | Straightened

#: nutpie's statistics and their names in ArviZ.
_STATISTICS = {
    "diverging": "diverging",
    "energy": "energy",
    "energy_error": "energy_error",
    "depth": "tree_depth",
    "maxdepth_reached": "reached_max_treedepth",
    "n_steps": "n_steps",
    "step_size": "step_size",
    "mean_tree_accept": "acceptance_rate",
}


@dataclass
class _Counted:
    """One chain's density: counts evaluations up to a limit, keeps pairs that look like a jump."""

    whitened: Coordinates
    limit: int
    n_evaluations: int = 0
    walls: list[int] = field(default_factory=list)
    suspects: list = field(default_factory=list)
    before: Point | None = None

    def __call__(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        self.n_evaluations += 1
        if self.n_evaluations > self.limit:
            # The sampler cannot be stopped: a normal keeps it going in peace, at no cost.
            self.before = None
            return -0.5 * float(z @ z), -z
        value, gradient = self.whitened.evaluate(z)
        if gradient is None:
            self.before = None
            self.walls.append(self.n_evaluations)
            return -np.inf, np.zeros(z.size)
        here = Point(z.copy(), value, gradient)
        if self.before is not None:
            found, _ = mismatch(self.before, here)
            if found > _JUMP_NATS:
                self.suspects = sorted(
                    [*self.suspects, (found, self.before, here)], key=lambda pair: -pair[0]
                )[:_SUSPECTS]
        self.before = here
        return value, gradient


def nuts(
    whitened: Coordinates,
    settings: PosteriorSettings,
    rng: np.random.Generator,
    starts: Sequence[np.ndarray] | None = None,
    serves: Callable[[Chains], bool] = lambda chains: False,
) -> Chains | None:
    """Run chains one after the other from dispersed starts, in rounds until their draws serve.

    Where too many draws of the first round diverge, they are dropped and the round is made again from
    where the chains came to, with smaller steps.

    Parameters
    ----------
    whitened : Whitened or Straightened
    settings : PosteriorSettings
    rng : numpy.random.Generator
    starts : sequence of ndarray, shape (k,), optional
        One per chain, whitened coordinates; found around the mode if not given.
    serves : callable
        Whether the draws of all rounds so far are enough.

    Returns
    -------
    Chains or None
        None if no starts with a density were found; without draws if the limit of evaluations left none.
    """
    if starts is None:
        starts = _starts_around_mode(whitened, settings.n_chains, rng)
    if starts is None:
        return None
    limit = settings.max_evaluations // settings.n_chains
    counted = [_Counted(whitened, limit) for _ in starts]
    found, n_tune, rounds = None, settings.n_tune, _rounds(settings.n_draws)
    while rounds:
        runs = [
            _run(chain, start, n_tune, rounds[0], settings, int(rng.integers(2**32)))
            for chain, start in zip(counted, starts, strict=True)
        ]
        before, found = found, _joined(found, runs, counted)
        if found.exhausted or serves(found):
            break
        starts = found.z[:, -1]
        if before is None and found.diverge_too_often and settings.target_acceptance < _CAREFUL:
            settings = settings.model_copy(update={"target_acceptance": _CAREFUL})
            found = None
            continue
        # Goes on where it was; the step size is found anew.
        rounds, n_tune = rounds[1:], min(_TUNED_AGAIN, settings.n_tune)
    return replace(found, jump_met=_jumps(whitened, counted))


def _rounds(n_draws: int) -> list[int]:
    """Draws of each round."""
    first = min(_FIRST, n_draws)
    ends = np.linspace(first, n_draws, -(-(n_draws - first) // _MORE) + 1).round().astype(int)
    return [first, *np.diff(ends).tolist()]


@dataclass(frozen=True)
class _Run:
    """Draws of one chain in one round, tuning left out, and which of them are whole."""

    z: np.ndarray
    log_density: np.ndarray
    statistics: dict[str, np.ndarray]
    n_at_walls: int
    whole: np.ndarray


def _run(
    chain: _Counted,
    start: np.ndarray,
    n_tune: int,
    n_draws: int,
    settings: PosteriorSettings,
    seed: int,
) -> _Run:
    # Takes seconds to import, which who only reads a posterior need not wait for.
    import nutpie
    from nutpie.compiled_pyfunc import from_pyfunc

    start, size = np.ascontiguousarray(start), len(start)
    chain.before = None
    model = from_pyfunc(
        size,
        lambda: chain,
        lambda *_: lambda z: {"z": z},
        [np.dtype(float)],
        [(size,)],
        ["z"],
        make_initial_point_fn=lambda seed: start,
    )
    trace = nutpie.sample(
        model,
        draws=n_draws,
        tune=n_tune,
        chains=1,
        cores=1,
        seed=seed,
        maxdepth=settings.max_tree_depth,
        target_accept=settings.target_acceptance,
        progress_bar=False,
    )
    found = trace.sample_stats
    steps = found["n_steps"].values[0]
    # The last evaluations are those of the draws that are kept.
    kept_from = chain.n_evaluations - int(steps.sum())
    return _Run(
        trace.posterior["z"].values[0],
        found["logp"].values[0],
        {name: found[theirs].values[0] for theirs, name in _STATISTICS.items()},
        sum(number > kept_from for number in chain.walls),
        # A draw whose path was cut by the limit, and all after it, are none.
        kept_from + np.cumsum(steps) <= chain.limit,
    )


def _joined(before: Chains | None, runs: Sequence[_Run], counted: Sequence[_Counted]) -> Chains:
    """Chains of the rounds before, if any, and a round's draws that are whole in all chains."""
    whole = np.array([run.whole for run in runs]).all(0)
    z = np.array([run.z for run in runs])[:, whole]
    log_density = np.array([run.log_density for run in runs])[:, whole]
    names = _STATISTICS.values()
    statistics = {k: np.array([run.statistics[k] for run in runs])[:, whole] for k in names}
    n_at_walls = sum(run.n_at_walls for run in runs)
    if before is not None:
        z = np.concatenate([before.z, z], axis=1)
        log_density = np.concatenate([before.log_density, log_density], axis=1)
        statistics = {k: np.concatenate([before.statistics[k], statistics[k]], 1) for k in names}
        n_at_walls += before.n_at_walls
    spent = sum(min(chain.n_evaluations, chain.limit) for chain in counted)
    return Chains(z, log_density, statistics, n_at_walls, spent, not whole.all(), False)


def _jumps(whitened: Coordinates, counted: Sequence[_Counted]) -> bool:
    """Whether the density jumps between two points of a path that look like it."""

    def point_at(z):
        value, gradient = whitened.evaluate(z)
        return None if gradient is None else Point(z, value, gradient)

    return any(
        jump_between(point_at, *suspect, _BISECTIONS) is not None
        for chain in counted
        for suspect in chain.suspects
    )


def _starts_around_mode(whitened, n_chains, rng):
    """Starts that have a density, wider than the posterior; None if too few are found."""
    starts = []
    for _ in range(_TRIES * n_chains):
        z = _DISPERSION * rng.standard_normal(whitened.size)
        if np.isfinite(whitened.log_density(z)):
            starts.append(z)
        if len(starts) == n_chains:
            return starts
    return None
