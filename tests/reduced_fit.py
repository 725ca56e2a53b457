"""The contract that the dataset of a fit meets where not every parameter moves by itself."""

from dataclasses import replace

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.storage.contract import variable

#: Kind `reduced_fit`: as `fit`, in a space that has fewer free coordinates than parameters.
REDUCED_FIT = replace(
    FIT,
    kind="reduced_fit",
    meaning="maximum-likelihood fit of one record by a model with parameters held fixed or tied",
    required=FIT.required
    | {
        "free_direction": variable(
            "parameter free", "f", "unconstrained", "what each free coordinate moves"
        ),
        "information": variable(
            "free free_other", "f", "1", "observed information by the free coordinates"
        ),
        "whitened_gradient": variable(
            "start free", "f", "sqrt(nat)", "gradient by the whitened coordinates"
        ),
    },
)
