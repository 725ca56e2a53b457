"""Collect what the rivals' fits say: prediction, criteria, errors, model recovery, brute force."""

import numpy as np
import xarray as xr

from irc.assembly.records import names, read_batches
from irc.assembly.rivals import comparison_variables, recovery_variables, space_variables
from irc.datasets import read, write
from irc.parameters import agent_vector
from irc.provenance import provenance
from irc.reduced_models import model_spaces
from irc.rules import rule_log


def main(config, models, pairs, recovered, brute_force, output):
    """Write the summary, models in order; `recovered` maps generating models to their batch files."""
    rivals, truth = config["rivals"], agent_vector(config["agent"])
    spaces = model_spaces(rivals["models"], config["world"], config["agent"])
    spaces = {name: spaces[name] for name in models if name in spaces}
    pairs = read_batches(np.atleast_1d(pairs), "rival_fits").sel(model=models)
    recovered = {
        model: read_batches(np.atleast_1d(paths), "rival_fits")
        for model, paths in recovered.items()
    }
    search = read(brute_force, "brute_force")
    kinds = space_variables(spaces, truth)
    result = xr.Dataset(
        {
            **kinds,
            **comparison_variables(pairs, kinds["is_free"][1], rivals["n_steps"]),
            **recovery_variables(recovered, rivals["recovery_steps"]),
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
        {"n_steps": rivals["n_steps"], "recovery_steps": rivals["recovery_steps"]},
    )
    write(result.assign_attrs(provenance(config)), output, "rivals")


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
