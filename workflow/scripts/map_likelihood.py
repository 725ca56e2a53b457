"""Log-likelihood over the plane of the EM trajectory's two principal components (Figure 3A)."""

import numpy as np
import xarray as xr

from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.parameters import unconstrained
from inverse_rational_control.recordings.dataset import (
    RECORD,
    names,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.paper.dataset import SURFACE
from inverse_rational_control.studies.paper.surface import likelihood_surface, principal_plane
from inverse_rational_control.workflow import run


def main(config, record, fit, em_trajectory, n_points, surface):
    """Map the plane through the estimate; project trajectories and truth onto it."""
    dataset, fitted = read(record, RECORD), read_estimate(fit)
    learned = read_estimate(em_trajectory)
    objective = ForagingObjective(record_from_dataset(dataset), task_from_dataset(dataset))

    def path(source, start):
        part = source.isel(start=start)
        length = int(part["history_log_likelihood"].notnull().sum())
        part = part.isel(iteration=slice(0, length))
        return unconstrained(part["history_parameters"].values), part["history_log_likelihood"]

    em, em_log_likelihood = path(learned, int(learned["best_start"]))
    # The quasi-Newton fit from the same starting parameters as EM.
    quasi_newton, quasi_newton_log_likelihood = path(fitted, 0)
    end = unconstrained(fitted["estimate"].values)
    directions, explained = principal_plane(em)
    projected = {
        "trajectory": (em - end) @ directions.T,
        "quasi_newton": (quasi_newton - end) @ directions.T,
    }
    shown = [*projected.values(), np.zeros((1, 2))]
    variables = {}
    if "truth" in fitted:
        truth = (unconstrained(fitted["truth"].values) - end) @ directions.T
        shown.append(truth[None])
        variables["truth_u"], variables["truth_v"] = ((), truth[0]), ((), truth[1])
        variables["truth_log_likelihood"] = ((), float(fitted["truth_log_likelihood"]))
    grid = likelihood_surface(end, directions, np.concatenate(shown), n_points, objective)
    variables |= {
        "log_likelihood": (("u", "v"), grid.log_likelihood),
        "direction_u": ("parameter", directions[0]),
        "direction_v": ("parameter", directions[1]),
        "explained_variance": ("component", explained),
        "trajectory_u": ("iteration", projected["trajectory"][:, 0]),
        "trajectory_v": ("iteration", projected["trajectory"][:, 1]),
        "trajectory_log_likelihood": ("iteration", em_log_likelihood.values),
        "quasi_newton_u": ("quasi_newton_iteration", projected["quasi_newton"][:, 0]),
        "quasi_newton_v": ("quasi_newton_iteration", projected["quasi_newton"][:, 1]),
        "quasi_newton_log_likelihood": (
            "quasi_newton_iteration",
            quasi_newton_log_likelihood.values,
        ),
        "end_u": ((), 0.0),
        "end_v": ((), 0.0),
        "end_log_likelihood": ((), float(fitted["log_likelihood"])),
    }
    result = xr.Dataset(variables, {"u": grid.u, "v": grid.v, "parameter": names()})
    write(result.assign_attrs(provenance(config)), surface, SURFACE)


if __name__ == "__main__":
    run(main, snakemake)
