"""Collect the optimization paths: cost by method, ends by start, plain EM by diffusion."""

from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.optimization.dataset import (
    OPTIMIZATION,
    OPTIMIZATION_PATHS,
    optimization_dataset,
)
from inverse_rational_control.workflow import run


def main(
    config,
    drawn,
    chosen,
    diffused,
    n_curve_starts,
    gaps,
    max_evaluations,
    confidence_level,
    summary,
):
    """Write the summary.

    `drawn` and `chosen` are the files of paths over the paper's record from either kind of start,
    `diffused` those of the records of agents with another diffusion, one file each.
    """
    parts = [
        [read(path, OPTIMIZATION_PATHS) for path in files] for files in (drawn, chosen, diffused)
    ]
    result = optimization_dataset(*parts, n_curve_starts, gaps, max_evaluations, confidence_level)
    write(result.assign_attrs(provenance(config)), summary, OPTIMIZATION)


if __name__ == "__main__":
    run(main, snakemake)
