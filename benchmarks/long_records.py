"""Records of many steps, each made, smoothed or fitted in a process whose memory is measured."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import cases
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.chain.forward_backward import ChainInputs, expected_counts
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import choose_start, generic_whitening
from inverse_rational_control.inference.fit import fit as maximize
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record

_SESSION_STEPS = 1_000_000  # simulating more at once would take more memory than what is measured


def write_record(folder: Path, n_steps: int, n_bins: int) -> None:
    """Write a record in sessions, and the chain's indices, one file per array."""
    lengths = [_SESSION_STEPS] * (n_steps // _SESSION_STEPS)
    if n_steps % _SESSION_STEPS:
        lengths.append(n_steps % _SESSION_STEPS)
    parts: dict[str, list] = {}
    for number, length in enumerate(lengths):
        record = cases.record(length, n_bins, number)
        columns = ("location", "action", "reward", "cue")
        arrays = {f"record_{name}": getattr(record, name).astype(np.int8) for name in columns}
        arrays |= {f"chain_{name}": array for name, array in chain_inputs(record).arrays.items()}
        arrays["record_session"] = np.full(length, number, dtype=np.int16)
        for name, array in arrays.items():
            parts.setdefault(name, []).append(array)
    for name, arrays in parts.items():
        np.save(folder / f"{name}.npy", np.concatenate(arrays))


def _load(
    folder: Path, prefix: str, n_steps: int, kind: type | None = None
) -> dict[str, np.ndarray]:
    """The first steps of the arrays of a record or of a chain, by name."""
    return {
        path.stem.removeprefix(f"{prefix}_"): np.array(
            np.load(path, mmap_mode="r")[:n_steps], dtype=kind
        )
        for path in sorted(folder.glob(f"{prefix}_*.npy"))
    }


def smooth(folder: Path, n_steps: int, n_bins: int) -> dict:
    """One E-step of the first steps of the chain in `folder`."""
    inputs = ChainInputs(**_load(folder, "chain", n_steps))
    tables = chain_tables(agent_model(cases.agent_theta(), cases.task(n_bins)))
    began = time.perf_counter()
    counts = expected_counts(tables, inputs)
    return {"seconds": time.perf_counter() - began, "log_likelihood": counts.log_likelihood}


def fit(folder: Path, n_steps: int, n_bins: int) -> dict:
    """One fit of the first steps of the record in `folder`, from one cold start."""
    record = Record(**_load(folder, "record", n_steps, np.int64))
    task, settings = cases.task(n_bins), cases.fit_settings()
    began = time.perf_counter()
    whitening, objective = generic_whitening(settings, task), ForagingObjective(record, task)
    start = choose_start(objective, settings, stream(0, "long record"))
    found = maximize(objective, settings, [start], whitening=whitening)
    return {
        "seconds": time.perf_counter() - began,
        "status": found.status,
        "n_evaluations": int(sum(result.n_evaluations for result in found.starts)),
    }


if __name__ == "__main__":
    step, folder, n_steps, n_bins = sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:5])
    result = {"write_record": write_record, "smooth": smooth, "fit": fit}[step](
        folder, n_steps, n_bins
    )
    (folder / f"{step}.json").write_text(json.dumps(result), encoding="utf-8")
