"""When the searches of a fit are enough, and from where its top is challenged."""

from types import SimpleNamespace

import numpy as np
import pytest

from inverse_rational_control.inference.agreement import (
    agreement,
    challengers,
    highest,
    unseen_share,
)
from inverse_rational_control.parameter_space import FULL_SPACE, parameter_space
from inverse_rational_control.parameters import natural, unconstrained

INSIDE = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
AT_BOUND = np.array([0.2, 1e-9, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])


PINNED = 100.0 * np.eye(10)


def _end(log_likelihood, settled=True, end=INSIDE, information=PINNED):
    return SimpleNamespace(
        log_likelihood=log_likelihood,
        settled=settled,
        converged=settled,
        start=INSIDE,
        end=end,
        information=information,
    )


@pytest.mark.parametrize(
    ("ends", "n_agreeing", "enough"),
    [
        ([-10.0], 1, False),
        ([-10.0, -10.009], 2, True),
        ([-10.0, -10.011], 1, False),
        ([-12.0, -12.0, -10.0], 1, False),  # two agree, but below the top
        ([-10.0, -10.0, -12.0], 2, False),  # two maxima: more may be unseen
        ([-10.0, -10.0, -12.0, -10.0, -10.0], 4, True),
        ([np.nan, np.nan], 0, False),
    ],
)
def test_two_must_agree_at_the_top(ends, n_agreeing, enough):
    found = agreement([_end(value) for value in ends])
    assert (found.n_agreeing, found.enough) == (n_agreeing, enough)


def test_ends_that_are_not_flat_neither_agree_nor_count_as_maxima():
    steep = _end(-10.0, settled=False)
    assert not agreement([steep, steep]).enough
    below = _end(-500.0, settled=False)
    assert agreement([_end(-10.0), below, _end(-10.0), below]).enough


def test_the_highest_end_is_none_that_led_nowhere():
    assert highest([_end(np.nan), _end(-12.0), _end(-10.0), _end(np.nan)]) == 2


def test_agreement_at_a_bound_is_agreement():
    ends = [_end(-10.0, end=AT_BOUND), _end(-10.005, end=AT_BOUND)]
    assert agreement(ends).enough


def test_unseen_share_is_boender_and_rinnooy_kans():
    assert unseen_share(1, 1) == 1.0
    assert unseen_share(4, 2) == pytest.approx(0.5)
    assert unseen_share(10, 1) == pytest.approx(2 / 90)


def test_a_pinned_top_is_not_challenged():
    top = _end(-10.0)
    assert challengers(top, [top], FULL_SPACE) == []


def test_what_the_record_does_not_pin_is_moved_across():
    information = 100.0 * np.eye(10)
    information[2, 2] = 0.1
    top = _end(-10.0, end=AT_BOUND, information=information)
    starts = challengers(top, [top, top], FULL_SPACE)
    assert all(start.challenger for start in starts)
    from_bound, from_inside = (start.parameters for start in starts)
    expected = unconstrained(AT_BOUND)
    expected[1] = unconstrained(INSIDE)[1]
    np.testing.assert_allclose(from_bound, natural(expected), rtol=1e-9)
    # Others at a bound come back to where a search can move them.
    assert from_inside[1] == pytest.approx(natural(np.full(10, -9.0))[1])
    assert from_inside[2] == pytest.approx(natural(np.full(10, -9.0))[2])
    others = [0, 3, 4, 5, 6, 7, 8, 9]
    np.testing.assert_allclose(from_inside[others], AT_BOUND[others], rtol=1e-9)


def test_challenges_stay_in_the_space():
    space = parameter_space(
        {"disappearance_rate_2": 0.08}, [("appearance_rate_1", "appearance_rate_2")]
    )
    information = np.diag([0.1, *[100.0] * 7])
    top = _end(-10.0, information=information, end=np.where(np.arange(10) == 1, 0.2, INSIDE))
    (moved,) = (start.parameters for start in challengers(top, [top], space))
    assert moved[0] == moved[1] < 1e-3
    assert moved[3] == pytest.approx(0.08)
