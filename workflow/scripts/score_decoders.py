"""Decode the paper's record with the true parameters, the estimate, and from cues alone; score them."""

import numpy as np
import xarray as xr

from inverse_rational_control.foraging.decoding import (
    N_LEVELS,
    decode,
    decode_from_cues,
    log_scores,
    score_decoding,
)
from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_attribute,
    task_from_dataset,
)
from inverse_rational_control.statistics import block_standard_error, reliability
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.sensitivity.dataset import DECODERS
from inverse_rational_control.workflow import rule_log


def main(config, record, fit, block_steps, output):
    """Write scores and reliability diagrams of the three decoders."""
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    behavior = record_from_dataset(dataset)
    true = behavior.belief_bin
    decodings = {
        "truth": decode(dataset["truth"].values, behavior, task),
        "estimate": decode(read_estimate(fit)["estimate"].values, behavior, task),
        "cues": decode_from_cues(dataset["world"].values, behavior, task),
    }
    scores = {name: score_decoding(decoding, true) for name, decoding in decodings.items()}
    # A bin that one decoder rules out gives an infinite score; an infinite gain has no error.
    by_step = {name: log_scores(decoding, true) for name, decoding in decodings.items()}
    with np.errstate(invalid="ignore"):
        gains = np.array([by_step[name] - by_step["cues"] for name in decodings])
        errors = block_standard_error(gains, block_steps)
    diagrams = [
        [
            reliability(marginal, bins, N_LEVELS, block_steps)
            for marginal, bins in zip(decoding.marginals, true.T, strict=True)
        ]
        for decoding in decodings.values()
    ]
    by_box, by_level = ("decoder", "box"), ("decoder", "box", "level")
    variables = {
        f"decoder_{name}": (by_box, np.array([getattr(score, name) for score in scores.values()]))
        for name in ("correlation", "rmse", "log_score")
    }
    variables["log_score_gain"] = (by_box, gains.mean(-1))
    variables["log_score_gain_standard_error"] = (by_box, errors)
    for name in ("predicted", "observed", "standard_error", "count", "variance"):
        values = [[getattr(diagram, name) for diagram in row] for row in diagrams]
        variables[f"calibration_{name}"] = (by_level, np.array(values))
    result = xr.Dataset(
        variables,
        {
            "decoder": list(decodings),
            "box": [1, 2],
            "level": (np.arange(N_LEVELS) + 0.5) / N_LEVELS,
        },
        {
            "task": task_attribute(task),
            "block_steps": block_steps,
            "n_blocks": max(1, behavior.n_steps // block_steps),
        },
    )
    write(result.assign_attrs(provenance(config)), output, DECODERS)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            snakemake.params.config,
            snakemake.input.record,
            snakemake.input.fit,
            snakemake.params.block_steps,
            snakemake.output[0],
        )
