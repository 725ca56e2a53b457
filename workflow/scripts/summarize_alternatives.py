"""Collect what the alternatives' fits say: prediction, criteria, errors, model recovery, brute force."""

import numpy as np

from inverse_rational_control.alternative_models import model_spaces
from inverse_rational_control.parameters import agent_vector
from inverse_rational_control.recordings.dataset import read_batches
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.alternatives.dataset import (
    ALTERNATIVE_FITS,
    ALTERNATIVES,
    BRUTE_FORCE,
    alternatives_dataset,
)
from inverse_rational_control.workflow import run


def main(config, models, generating, pairs, recovered, searches, summary):
    """Write the summary, `models` in order.

    `recovered` are batch files of the model recovery, all of a `generating` model after another.
    """
    options = config["alternatives"]
    batches = zip(generating, np.reshape(recovered, (len(generating), -1)), strict=True)
    result = alternatives_dataset(
        model_spaces(options["models"], config["world"], config["agent"]),
        agent_vector(config["agent"]),
        read_batches(pairs, ALTERNATIVE_FITS).sel(model=models),
        {name: read_batches(files, ALTERNATIVE_FITS) for name, files in batches},
        read(searches, BRUTE_FORCE),
        options["n_steps"],
        options["recovery_steps"],
    )
    write(result.assign_attrs(provenance(config)), summary, ALTERNATIVES)


if __name__ == "__main__":
    run(main, snakemake)
