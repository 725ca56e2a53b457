"""Figures of long records, whose files are opened and not read: the same numbers, little memory."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from inverse_rational_control.recordings.dataset import RECORD, task_attribute
from inverse_rational_control.storage.blocks import opened
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.studies.paper import figure4_beliefs
from inverse_rational_control.studies.paper.dataset import POSTERIOR
from inverse_rational_control.task import Task
from tests.filled import filled

N_STEPS = 60_000  # more than are kept as an index


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A decoding and its record."""
    folder, centers = tmp_path_factory.mktemp("long"), (np.arange(10) + 0.5) / 10
    sizes = {"step": np.arange(N_STEPS), "box": [1, 2], "true_bin": centers, "level": 10}
    sizes |= dict.fromkeys(("bin", "bin_1", "bin_2"), centers)
    mass = np.random.default_rng(0).random((N_STEPS, 10, 10), dtype=np.float32)
    optional = set(POSTERIOR.optional) - {"credible_masses"}
    decoded = filled(POSTERIOR, sizes, {"posterior": mass}, sorted(optional))
    write(decoded, folder / "posterior.nc", POSTERIOR)
    still = dict.fromkeys(("session", "location", "action", "reward"), np.zeros(N_STEPS, int))
    attributes = {"task": task_attribute(Task())}
    write(filled(RECORD, sizes, still, (), attributes), folder / "record.nc", RECORD)
    return folder / "posterior.nc", folder / "record.nc", mass.nbytes


def test_numbers_are_those_of_files_read_whole(files):
    whole = read(files[0], POSTERIOR), read(files[1], RECORD)
    expected = figure4_beliefs.numbers(*whole, 30_000, 50)
    tracemalloc.start()
    try:
        with opened(files[0], POSTERIOR) as posterior, opened(files[1], RECORD) as record:
            found = figure4_beliefs.numbers(posterior, record, 30_000, 50)
            figure4_beliefs.draw(posterior, record, 30_000, 50)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    for panel, table in expected.items():
        pd.testing.assert_frame_equal(found[panel], table)
    assert found["A"]["step"].min() == 30_000
    # Two blocks of 16 MiB, for the digest's place and its making.
    assert peak < 2 * files[2], peak
