"""Put together what the information and the profile likelihoods of one fit say, numbers and words."""

from pathlib import Path

import xarray as xr

from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.identifiability.analysis import (
    profile_names,
    weakest_directions_text,
)
from inverse_rational_control.studies.identifiability.dataset import (
    IDENTIFIABILITY,
    PROFILES,
    identifiability_dataset,
)
from inverse_rational_control.workflow import rule_log, written_whole


def main(config, fit, profiles, n_directions, summary, text):
    """Write the summary, and the `n_directions` weakest directions in words."""
    level = config["fitting"]["confidence_level"]
    batches = [read(path, PROFILES) for path in profiles]
    joined = xr.concat(batches, "profile", join="exact", combine_attrs="drop")
    result = identifiability_dataset(
        read_estimate(fit), joined.sel(profile=list(profile_names())), level
    )
    write(result.assign_attrs(provenance(config)), summary, IDENTIFIABILITY)
    with written_whole(text) as beside:
        Path(beside).write_text(
            weakest_directions_text(
                result["eigenvalue"].values[:n_directions],
                result["sentence"].values[:n_directions],
                result["standardized_eigenvalue"].values[:n_directions],
                result["standardized_sentence"].values[:n_directions],
            ),
            encoding="utf-8",
        )


if __name__ == "__main__":
    with rule_log(snakemake.log):
        main(
            snakemake.params.config,
            snakemake.input.fit,
            snakemake.input.profiles,
            snakemake.params.n_directions,
            snakemake.output.summary,
            snakemake.output.text,
        )
