"""Collect what the alternatives' fits say: prediction, criteria, errors, model recovery, brute force."""

import numpy as np
import xarray as xr

from inverse_rational_control.alternative_models import model_spaces
from inverse_rational_control.parameters import agent_vector
from inverse_rational_control.recordings.dataset import names, read_batches
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.alternatives.dataset import (
    ALTERNATIVE_FITS,
    ALTERNATIVES,
    BRUTE_FORCE,
    comparison_variables,
    recovery_variables,
    space_variables,
)
from inverse_rational_control.workflow import rule_log


def main(config, models, pairs, recovered, brute_force, output):
    """Write the summary, models in order; `recovered` maps generating models to their batch files."""
    alternatives, truth = config["alternatives"], agent_vector(config["agent"])
    spaces = model_spaces(alternatives["models"], config["world"], config["agent"])
    spaces = {name: spaces[name] for name in models if name in spaces}
    pairs = read_batches(np.atleast_1d(pairs), ALTERNATIVE_FITS).sel(model=models)
    recovered = {
        model: read_batches(np.atleast_1d(paths), ALTERNATIVE_FITS)
        for model, paths in recovered.items()
    }
    search = read(brute_force, BRUTE_FORCE)
    kinds = space_variables(spaces, truth)
    result = xr.Dataset(
        {
            **kinds,
            **comparison_variables(pairs, kinds["is_free"][1], alternatives["n_steps"]),
            **recovery_variables(recovered, alternatives["recovery_steps"]),
            **{
                name: search[name].variable
                for name in ("brute_force_gap", "search_gap", "search_evaluations")
            },
        },
        {
            "model": models,
            "generating": list(recovered),
            "chosen": list(recovered),
            "parameter": names(),
            "pair": pairs["seed"].values,
            "evaluation": search["evaluation"].values,
        },
        {"n_steps": alternatives["n_steps"], "recovery_steps": alternatives["recovery_steps"]},
    )
    write(result.assign_attrs(provenance(config)), output, ALTERNATIVES)


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            snakemake.params.config,
            snakemake.params.models,
            snakemake.input.pairs,
            {model: snakemake.input[f"of_{model}"] for model in snakemake.params.recovered},
            snakemake.input.brute_force,
            snakemake.output[0],
        )
