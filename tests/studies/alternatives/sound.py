"""A summary of the study in which every criterion holds."""

import numpy as np
import xarray as xr

from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.studies.alternatives.dataset import ALTERNATIVES
from tests.filled import filled

#: The full model, two reduced ones (one of them wrong) and a baseline, and their numbers of parameters.
SIZES = {"full": 10, "true_rewards": 7, "wrong_rewards": 7, "memoryless": 36}
N_STEPS = 5000


def sound(n_pairs: int = 6, n_replicates: int = 20) -> xr.Dataset:
    """Made up, but for what is judged."""
    recovered = [name for name in SIZES if name != "wrong_rewards"]
    free = np.ones((4, 10), dtype=bool)
    free[1:3, 6:9], free[3] = False, False
    return filled(
        ALTERNATIVES,
        {
            "model": list(SIZES),
            "generating": recovered,
            "chosen": recovered,
            "parameter": [parameter.name for parameter in AGENT_PARAMETERS],
            "pair": n_pairs,
            "replicate": n_replicates,
            "evaluation": np.arange(1, 65),
            "iteration": 30,
            "end": 2,
        },
        {
            "is_free": free,
            "well_specified": [True, True, False, False],
            "n_parameters": list(SIZES.values()),
            "status": np.full((n_pairs, 4), "converged", dtype=object),
            "held_out_mean": np.array([0.0, 1.5, -80.0, -300.0]) / N_STEPS,
            "held_out_standard_error": np.array([0.0, 0.3, 0.3, 0.3]) / N_STEPS,
            "missed": np.zeros(n_pairs),
            "excess_log_likelihood": np.tile([0.0, -1.5, -82.0, -290.0], (n_pairs, 1)),
            "recovery_missed": np.zeros((3, n_replicates)),
            "recovery_status": np.full((3, n_replicates, 3), "converged", dtype=object),
            "polished_gap": 1e-7,
            "confusion_aic": np.eye(3),
            "confusion_bic": np.eye(3),
            "confusion_evidence": np.eye(3),
            "brute_force_gap": 200.0 * np.arange(1, 65) ** -0.3,
            "search_gap": 80.0 * 0.3 ** np.arange(30),
            "search_evaluations": np.arange(8, 38),
        },
        attributes={"n_steps": N_STEPS, "recovery_steps": N_STEPS},
    )
