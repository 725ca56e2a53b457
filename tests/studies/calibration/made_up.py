"""Made-up summaries of the study: posteriors as they should be."""

import numpy as np

from inverse_rational_control.parameters import AGENT_PARAMETERS
from inverse_rational_control.storage.contract import Contract
from inverse_rational_control.studies.calibration.dataset import (
    CALIBRATED,
    CALIBRATION,
    QUANTITIES,
    calibration_dataset,
)
from tests.filled import filled

LEVELS = [0.5, 0.8, 0.95]
NAMES = [parameter.name for parameter in AGENT_PARAMETERS]


def agents(n_agents=120, n_draws=39, **given):
    """Ranks that are uniform; one posterior of twenty did not converge."""
    rng = np.random.default_rng(6)
    place = rng.random((n_agents, 10))
    status = np.where(np.arange(n_agents) % 20 == 0, "not_converged", "converged")
    mass = rng.uniform(0.9, 0.95, n_agents)
    sound = {
        "rank": np.concatenate(
            [
                np.floor((n_draws + 1) * place).astype(int),
                rng.integers(0, n_draws + 1, (n_agents, 3)),
            ],
            axis=1,
        ),
        "covered": np.abs(place[..., None] - 0.5) < 0.5 * np.array(LEVELS),
        "z_score": rng.normal(size=(n_agents, 10)),
        "contraction": rng.uniform(-0.1, 0.95, (n_agents, 10)),
        "gradient_error": 10 ** rng.uniform(-8, -5, n_agents),
        "belief_mass": mass,
        "belief_covered": mass + 0.03 * rng.normal(size=n_agents),
        "status": status.astype(object),
    }
    coordinates = {"agent": n_agents, "parameter": NAMES, "level": LEVELS}
    coordinates["quantity"] = [*NAMES, *QUANTITIES]
    attributes = {"n_ranked_draws": n_draws, "belief_mass_level": 0.9, "n_steps": 500}
    leading = {name: CALIBRATION.required[name] for name in CALIBRATED.required}
    along = Contract(CALIBRATED.kind, "", leading, {}, CALIBRATED.attributes)
    return filled(along, coordinates, sound | given, attributes=attributes)


def paper(n_draws=300):
    """The paper's agent as variables of the summary."""
    rng = np.random.default_rng(7)
    truth = np.array([0.2, 0.15, 0.1, 0.08, 0.42, 0.66, 0.2, 0.2, 0.3, 0.2])
    grid = np.linspace(0.01, 0.9, 50)[:, None] * np.ones(10)
    return {
        "paper_draws": (("draw", "parameter"), truth + 0.02 * rng.normal(size=(n_draws, 10))),
        "paper_truth": ("parameter", truth),
        "paper_estimate": ("parameter", truth + 0.01),
        "prior_sensitivity": ("parameter", np.linspace(0.01, 0.2, 10)),
        "likelihood_sensitivity": ("parameter", np.linspace(0.2, 0.02, 10)),
        "prior_theta": (("point", "parameter"), grid),
        "prior_density": (("point", "parameter"), np.exp(-0.5 * ((grid - 0.3) / 0.2) ** 2)),
    }


def summary(with_paper=False, **given):
    """The summary of `agents`."""
    found = calibration_dataset(agents(**given))
    return found.assign(paper() if with_paper else {})
