"""Numbers of the front door do not hang on how many threads linear algebra may use."""

import importlib

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import inverse_rational_control as irc
from inverse_rational_control.front_door.one_thread import on_one_thread


def n_threads():
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    }


@pytest.fixture
def two_threads():
    with threadpool_limits(limits=2):
        yield


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(
    "name", ["simulate", "fit", "posterior", "decode", "resimulate", "compare_descriptions"]
)
def test_whatever_computes_has_one_thread(name, monkeypatch):
    """Every function first judges its arguments."""
    found = []

    def judge(*_):
        found.append(n_threads())
        raise InterruptedError

    function = getattr(irc, name)
    monkeypatch.setattr(importlib.import_module(function.__module__), "judge", judge)
    given = {"record": None, "agent": None, "world": None, "n_steps": 1}
    names = function.__wrapped__.__code__.co_varnames
    with pytest.raises(InterruptedError):
        function(**{key: value for key, value in given.items() if key in names})
    assert found == [{1}]
    assert n_threads() == {2}


@pytest.mark.usefixtures("two_threads")
def test_elimination_is_the_same_to_the_last_digit():
    """That of a planner's size, which two threads share."""
    rng = np.random.default_rng(3)
    system, right_side = np.eye(500) + 0.1 * rng.standard_normal((500, 500)), rng.random(500)
    solve = on_one_thread(np.linalg.solve)
    found = solve(system, right_side)
    with threadpool_limits(limits=1):
        np.testing.assert_array_equal(np.linalg.solve(system, right_side), found)
