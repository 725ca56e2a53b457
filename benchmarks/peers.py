"""Other programs for hidden Markov models on the same chain, each in a process of its own.

A peer makes its input, compiles, then runs once for every line it is sent and answers with the seconds.
So the runs of two processes can take turns on one core, and neither imports the other's packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import ROOT
from inverse_rational_control.chain.forward_backward import ChainInputs, ChainTables

__all__ = ["Peer", "load_case", "save_case"]


def save_case(path: Path, tables: ChainTables, inputs: ChainInputs) -> None:
    """Write a chain for a peer to read."""
    np.savez(path, **vars(tables), **inputs.arrays)


def load_case(path: Path) -> tuple[ChainTables, ChainInputs]:
    """Read a chain that `save_case` wrote."""
    with np.load(path) as stored:
        tables, inputs = (
            kind(**{name: stored[name] for name in kind.__dataclass_fields__})
            for kind in (ChainTables, ChainInputs)
        )
    return tables, inputs


class Peer:
    """A peer's process, from when it is ready to run until it has written its results.

    Parameters
    ----------
    name : {"dynamax", "hmmlearn"}
    case : Path
        From `save_case`.
    results : Path
        The .npz file for what it computes: `log_likelihood` and `posterior`, shape (T, N, N).
    options : str
        For dynamax: the function to call, and whether its "counts" of moves are kept or the
        "posterior" alone.
    """

    def __init__(self, name: str, case: Path, results: Path, *options: str):
        self.command = [sys.executable, "-m", "benchmarks.peers", name, case, results, *options]
        self.results = results

    def __enter__(self) -> Peer:
        single = "--xla_cpu_multi_thread_eigen=false"
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"XLA_FLAGS": single, "JAX_PLATFORMS": "cpu"},
        )
        self._answer()
        return self

    def _answer(self) -> float:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.command[3]}: the process ended, see its message above")
        return float(line)

    def run(self) -> float:
        """Let it run once; the seconds it took."""
        print(file=self.process.stdin, flush=True)
        return self._answer()

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def computed(self) -> tuple[float, np.ndarray]:
        """Log-likelihood and posterior, once the process has ended."""
        with np.load(self.results) as stored:
            return float(stored["log_likelihood"]), stored["posterior"]


def _dynamax(tables, inputs, function, kept):
    import jax

    jax.config.update("jax_enable_x64", True)
    from dynamax.hidden_markov_model import inference

    from benchmarks.cases import dense_transitions

    n_states = tables.kernels_1.shape[1] ** 2
    arguments = (
        jax.numpy.full(n_states, 1.0 / n_states),
        jax.numpy.asarray(dense_transitions(tables, inputs)),
        jax.numpy.asarray(tables.log_emissions.reshape(-1, n_states)[inputs.emitted]),
    )

    # What is not returned is not computed: the compiler drops it.
    @jax.jit
    def smoother(*given):
        found = getattr(inference, function)(*given)
        counts = found.trans_probs if kept == "counts" else None
        return found.marginal_loglik, found.smoothed_probs, counts

    def run():
        return jax.block_until_ready(smoother(*arguments))

    def computed(found):
        return float(found[0]), np.asarray(found[1])

    return run, computed


def _hmmlearn(tables, inputs):
    from hmmlearn.hmm import CategoricalHMM

    n_states = tables.kernels_1.shape[1] ** 2
    emissions = np.exp(tables.log_emissions).reshape(-1, n_states)
    model = CategoricalHMM(n_components=n_states, implementation="scaling")
    model.n_features = len(emissions)
    model.startprob_ = np.full(n_states, 1.0 / n_states)
    model.transmat_ = np.kron(tables.kernels_1[0], tables.kernels_2[0])
    model.emissionprob_ = emissions.T
    observed = inputs.emitted[:, None]
    return lambda: model.score_samples(observed), lambda found: found


def _main(name, case, results, *options):
    tables, inputs = load_case(Path(case))
    run, computed = {"dynamax": _dynamax, "hmmlearn": _hmmlearn}[name](tables, inputs, *options)
    found = run()
    print(0.0, flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        found = run()
        print(time.perf_counter() - began, flush=True)
    log_likelihood, posterior = computed(found)
    n = tables.kernels_1.shape[1]
    np.savez(results, log_likelihood=log_likelihood, posterior=posterior.reshape(-1, n, n))


if __name__ == "__main__":
    _main(*sys.argv[1:])
