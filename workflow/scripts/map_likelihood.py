"""Log-likelihood over the plane of the EM trajectory's two principal components (Figure 3A)."""

import numpy as np

from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.parameter_space import parameter_space
from inverse_rational_control.recordings.dataset import (
    RECORD,
    coordinates_of_dataset,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.analysis import likelihood_surface, principal_plane
from inverse_rational_control.studies.paper.surface_dataset import (
    SURFACE,
    optimization_path,
    surface_dataset,
)
from inverse_rational_control.workflow import run


def main(config, record, fit, em_trajectory, n_points, surface):
    """Map the plane through the estimate; project both methods' paths and the truth onto it."""
    dataset, fitted, em = read(record, RECORD), read_estimate(fit), read_estimate(em_trajectory)
    # Quasi-Newton from where an easier likelihood led the draw that EM starts at.
    paths = {
        "trajectory": optimization_path(em, int(em["best_start"])),
        "quasi_newton": optimization_path(fitted, 0),
    }
    space = parameter_space(parameters=coordinates_of_dataset(fitted).parameters)
    end = space.unconstrained(fitted["estimate"].values)
    directions, explained = principal_plane(paths["trajectory"][0])
    projected = {name: (eta - end) @ directions.T for name, (eta, _) in paths.items()}
    projected["end"] = np.zeros(2)
    heights = {name: height for name, (_, height) in paths.items()}
    heights["end"] = float(fitted["log_likelihood"])
    if "truth" in fitted:
        projected["truth"] = (space.unconstrained(fitted["truth"].values) - end) @ directions.T
        heights["truth"] = float(fitted["truth_log_likelihood"])
    shown = np.concatenate([np.atleast_2d(offsets) for offsets in projected.values()])
    objective = ForagingObjective(record_from_dataset(dataset), task_from_dataset(dataset), space)
    grid = likelihood_surface(end, directions, shown, n_points, objective)
    names = space.parameter_names
    result = surface_dataset(grid, directions, explained, projected, heights, names)
    write(result.assign_attrs(provenance(config)), surface, SURFACE)


if __name__ == "__main__":
    run(main, snakemake)
