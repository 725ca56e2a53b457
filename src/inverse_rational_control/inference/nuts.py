"""Draws from a density by the No-U-Turn Sampler (nutpie), with what went wrong on the way.

Source: Hoffman and Gelman (2014); docs/model.md section 10.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inverse_rational_control.config.posterior import PosteriorSettings
from inverse_rational_control.inference.search import Point
from inverse_rational_control.inference.verdict import jump_between, mismatch
from inverse_rational_control.inference.whitened import Whitened

__all__ = ["Chains", "nuts"]

_DISPERSION = 2.0  # standard deviations of the chains' starts, whitened coordinates
_TRIES = 100
_JUMP_NATS = 1.0  # mismatch between two points beyond which a jump of the density is suspected
_SUSPECTS, _BISECTIONS = 5, 12


@dataclass(frozen=True)
class Chains:
    """Draws of several chains, tuning left out.

    Attributes
    ----------
    z : ndarray, shape (chains, draws, k)
        Whitened coordinates.
    log_density : ndarray, shape (chains, draws)
        Nats, but for a constant.
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

    whitened: Whitened
    limit: int
    n_evaluations: int = 0
    walls: list[int] = field(default_factory=list)
    suspects: list = field(default_factory=list)
    before: Point | None = None

    def __call__(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        self.n_evaluations += 1
        value, gradient = -np.inf, None
        if self.n_evaluations <= self.limit:
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
    whitened: Whitened, settings: PosteriorSettings, rng: np.random.Generator
) -> Chains | None:
    """Run chains one after the other from dispersed starts.

    Parameters
    ----------
    whitened : Whitened
    settings : PosteriorSettings
    rng : numpy.random.Generator

    Returns
    -------
    Chains or None
        None if no starts with a density were found; without draws if the limit of evaluations left none.
    """
    # Takes seconds to import, which who only reads a posterior need not wait for.
    import nutpie
    from nutpie.compiled_pyfunc import from_pyfunc

    starts = _dispersed(whitened, settings.n_chains, rng)
    if starts is None:
        return None
    limit = settings.max_evaluations // settings.n_chains
    n_tune, n_draws = settings.n_tune, settings.n_draws
    draws, logs, statistics, counted, n_at_walls = [], [], [], [], 0
    for start in starts:
        chain = _Counted(whitened, limit)
        counted.append(chain)
        model = from_pyfunc(
            whitened.size,
            lambda chain=chain: chain,
            lambda *_: lambda z: {"z": z},
            [np.dtype(float)],
            [(whitened.size,)],
            ["z"],
            make_initial_point_fn=lambda seed, start=start: start,
        )
        trace = nutpie.sample(
            model,
            draws=n_draws,
            tune=n_tune,
            chains=1,
            cores=1,
            seed=int(rng.integers(2**32)),
            maxdepth=settings.max_tree_depth,
            target_accept=settings.target_acceptance,
            progress_bar=False,
        )
        found = trace.sample_stats
        # The last evaluations are those of the draws that are kept.
        kept_from = chain.n_evaluations - int(found["n_steps"].sum())
        n_at_walls += sum(number > kept_from for number in chain.walls)
        draws.append(trace.posterior["z"].values[0])
        logs.append(found["logp"].values[0])
        steps = np.concatenate(
            [trace.warmup_sample_stats["n_steps"].values[0], found["n_steps"].values[0]]
        )
        statistics.append({name: found[theirs].values[0] for theirs, name in _STATISTICS.items()})
        # A draw whose path was cut by the limit, and all after it, are none.
        statistics[-1]["whole"] = (np.cumsum(steps) + 1 <= limit)[n_tune:]

    def point_at(z):
        value, gradient = whitened.evaluate(z)
        return None if gradient is None else Point(z, value, gradient)

    whole = np.array([each.pop("whole") for each in statistics]).all(0)
    return Chains(
        np.array(draws)[:, whole],
        np.array(logs)[:, whole],
        {name: np.array([each[name] for each in statistics])[:, whole] for name in statistics[0]},
        n_at_walls,
        sum(min(chain.n_evaluations, limit) for chain in counted),
        not whole.all(),
        any(
            jump_between(point_at, *suspect, _BISECTIONS) is not None
            for chain in counted
            for suspect in chain.suspects
        ),
    )


def _dispersed(whitened, n_chains, rng):
    """Starts that have a density, wider than the posterior; None if too few are found."""
    starts = []
    for _ in range(_TRIES * n_chains):
        z = _DISPERSION * rng.standard_normal(whitened.size)
        if np.isfinite(whitened.log_density(z)):
            starts.append(z)
        if len(starts) == n_chains:
            return starts
    return None
