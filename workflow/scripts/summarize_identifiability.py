"""Put together what the information and the profile likelihoods of one fit say, numbers and words."""

import xarray as xr

from inverse_rational_control.inference.dataset import read_estimate
from inverse_rational_control.storage.atomic import write_whole
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
from inverse_rational_control.workflow import run


def main(config, fit, profiles, n_directions, summary, text):
    """Write the summary, and the `n_directions` weakest directions in words."""
    batches = [read(path, PROFILES) for path in profiles]
    joined = xr.concat(batches, "profile", join="exact", combine_attrs="drop")
    fitted = read_estimate(fit)
    result = identifiability_dataset(
        fitted,
        joined.sel(profile=list(profile_names(fitted["parameter"].values))),
        config["fitting"]["confidence_level"],
    )
    write(result.assign_attrs(provenance(config)), summary, IDENTIFIABILITY)
    words = weakest_directions_text(
        *(
            result[name].values[:n_directions]
            for name in (
                "eigenvalue",
                "sentence",
                "standardized_eigenvalue",
                "standardized_sentence",
            )
        )
    )
    write_whole(text, words)


if __name__ == "__main__":
    run(main, snakemake)
