"""Collect the calibrated agents: ranks and their band, coverage; the paper's agent beside them."""

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.inference.posterior_dataset import POSTERIOR
from inverse_rational_control.inference.prior import normal_prior
from inverse_rational_control.parameter_space import FULL_SPACE
from inverse_rational_control.recordings.dataset import read_batches
from inverse_rational_control.storage.contract import read, read_groups, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.calibration.dataset import (
    CALIBRATED,
    CALIBRATION,
    calibration_dataset,
    paper_variables,
)
from inverse_rational_control.workflow import run


def main(config, agents, summary, posterior=None, fit=None):
    """Write the summary; without a posterior of the paper's agent, that is left out."""
    result = calibration_dataset(read_batches(agents, CALIBRATED, dim="agent"))
    if posterior is not None:
        groups = read_groups(posterior, POSTERIOR)
        draws = groups["posterior"]["parameters"].values
        if draws.size:
            result = result.assign(
                paper_variables(
                    draws.reshape(-1, draws.shape[-1]),
                    groups["sample_stats"]["log_likelihood"].values.ravel(),
                    normal_prior(config["prior"], FULL_SPACE),
                    groups[""]["truth"].values,
                    read(fit, FIT)["estimate"].values,
                )
            )
    write(result.assign_attrs(provenance(config)), summary, CALIBRATION)


if __name__ == "__main__":
    run(main, snakemake)
