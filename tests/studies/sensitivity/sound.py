"""A summary of the study in which every criterion holds."""

import numpy as np
import xarray as xr

from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.sensitivity.dataset import SENSITIVITY
from tests.filled import filled

#: Bins, diffusion and discount of each setting.
SETTINGS = {
    "task": (10, 0.05, 0.99),
    "bins5": (5, 0.1, 0.99),
    "bins5_same_diffusion": (5, 0.05, 0.99),
    "bins20": (20, 0.025, 0.99),
    "bins20_same_diffusion": (20, 0.05, 0.99),
    "diffusion0.25": (10, 0.025, 0.99),
    "diffusion1": (10, 0.1, 0.99),
    "discount0.9": (10, 0.05, 0.9),
}
DECODERS = ("truth", "estimate", "cues")


def sound(n_seeds: int = 4) -> xr.Dataset:
    """Made up, but for what is judged or decides what is shown."""
    n_bins, diffusion, discount = (
        np.array(column) for column in zip(*SETTINGS.values(), strict=True)
    )
    levels = (np.arange(10) + 0.5) / 10
    diagram = np.broadcast_to(levels, (3, 2, 10)).copy()
    cells = (2, len(SETTINGS), n_seeds)
    return filled(
        SENSITIVITY,
        {
            "design": ["matched", "mismatched"],
            "setting": list(SETTINGS),
            "seed": n_seeds,
            "parameter": [parameter.name for parameter in AGENT_PARAMETERS],
            "box": [1, 2],
            "decoder": list(DECODERS),
            "level": levels,
        },
        {
            "n_bins": n_bins,
            "diffusion": diffusion,
            "discount": discount,
            "status": np.full(cells, "converged", dtype=object),
            "likelihood_ratio": np.random.default_rng(8).chisquare(10, cells),
            "pooled_bias": np.linspace(-0.1, 0.1, 10),
            "pooled_bias_standard_error": np.full(10, 0.1),
            "converged_count": np.full(cells[:2], n_seeds),
            "at_bound_count": np.zeros(cells[:2], dtype=int),
            "unconverged_count": np.zeros(cells[:2], dtype=int),
            "log_score_gain": [[0.4, 0.4], [0.3, 0.3], [0.0, 0.0]],
            "log_score_gain_standard_error": np.full((3, 2), 0.02),
            "calibration_predicted": diagram,
            "calibration_observed": diagram + 0.005,
            "calibration_standard_error": np.full(diagram.shape, 0.01),
            "calibration_variance": np.full(diagram.shape, 500.0),
        },
        attributes={"n_steps": 5000, "block_steps": 100, "n_blocks": 50},
    )
