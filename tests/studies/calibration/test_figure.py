"""Figure 12 is drawn from made-up data, with the paper's agent and without."""

import numpy as np
import pytest

from inverse_rational_control import plotting
from inverse_rational_control.studies.calibration.figure import draw, numbers
from tests.studies.calibration.made_up import summary


@pytest.mark.parametrize("with_paper", [True, False])
def test_drawn_and_tabulated(tmp_path, with_paper):
    made = summary(with_paper)
    plotting.save(draw(made), [tmp_path / "figure.png"])
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    tables = numbers(made)
    letters = {name[0] for name in tables}
    assert letters == set("ABCDEG" if with_paper else "BCDE")
    np.testing.assert_array_equal(
        tables["E, F"]["z_score"].values.reshape(120, 10), made["z_score"].values
    )
    if with_paper:
        assert tables["A"]["posterior_lower_95"].lt(tables["A"]["posterior_upper_95"]).all()
        said = dict(zip(tables["G"]["parameter"], tables["G"]["informed_by"], strict=True))
        assert said["appearance_rate_1"] == "data"
        assert said["temperature"] == "prior"


def test_agents_without_draws_leave_a_figure(tmp_path):
    unknown = np.full((120, 10), np.nan)
    made = summary(rank=np.full((120, 13), -1), z_score=unknown, contraction=unknown)
    plotting.save(draw(made), [tmp_path / "figure.png"])
    assert (tmp_path / "figure.png").stat().st_size > 10_000
