"""A Slurm of one node for the tests of this folder, which `make test-cluster` runs."""

from __future__ import annotations

import os

import pytest

from .one_node import missing, one_node


@pytest.fixture(scope="session")
def slurm():
    """The running Slurm; where it cannot be started, `make test-cluster` fails and others skip."""
    why = missing()
    asked = os.environ.get("TEST_CLUSTER")
    if asked and why:
        pytest.fail(why)
    if not asked:
        pytest.skip("make test-cluster runs the tests on a Slurm")
    with one_node() as running:
        yield running
