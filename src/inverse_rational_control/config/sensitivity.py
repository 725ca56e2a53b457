"""What the number of bins, the diffusion and the discount change, Figure 11: section `sensitivity`."""

from __future__ import annotations

from inverse_rational_control.config.fields import (
    AtLeastTwo,
    Bins,
    Count,
    Discount,
    Flag,
    NonNegativeCount,
    StepDiffusion,
    Steps,
    different,
    real,
    reserve_starts,
)
from inverse_rational_control.config.section import Section, key

__all__ = ["SensitivitySection"]

# Beyond these limits a bound means nothing: wrong programs meet it.
ChanceLevel, Bias, Majority = real(gt=0, le=0.05), real(gt=0, le=1), real(ge=0.5, le=1)
BinNumbers, Diffusions = different(Bins), different(StepDiffusion)
Discounts = different(Discount)


class SensitivityBounds(Section):
    """Bounds that the study's results are judged against."""

    family_wise_level: ChanceLevel = key(
        1e-3,
        "probability that a correct program fails a family of tests (over settings, or over levels "
        "of a reliability diagram)",
        "probability",
    )
    bias_maximum: Bias = key(
        0.5,
        "largest bias of a parameter over all matched fits, beyond Monte-Carlo error",
        "standard errors",
    )
    converged_share_minimum: Majority = key(
        0.9, "least share of the matched fits that converged", "share"
    )
    calibration_variance_minimum: real(gt=0, le=10**6) = key(
        10.0,
        "least expected variance of hits at which a level of the reliability diagram is judged",
        "1",
    )


class SensitivitySection(Section):
    """Settings that differ from the task in one thing at a time."""

    enabled: Flag = key(True, "whether the study is part of the run")
    n_records: AtLeastTwo = key(4, "simulated records per setting", "records")
    n_steps: Steps = key(5000, "steps of each record", "steps")
    n_starts: Count = key(2, "starts of each fit", "starts")
    n_reserve_starts: NonNegativeCount = reserve_starts(4)
    batch_size: Count = key(4, "records handled by one job", "records")
    n_bins: BinNumbers = key(
        (5, 10, 20),
        "numbers of bins N, each with sigma the same part of a bin as in the task, and with sigma "
        "itself as in the task",
        "bins",
    )
    diffusion_bins: Diffusions = key(
        (0.25, 0.5, 1.0), "diffusions sigma, in widths of a bin of the task's N", "bins"
    )
    discounts: Discounts = key((0.9, 0.95, 0.99, 0.995), "discounts per step", "1")
    block_steps: Steps = key(
        100,
        "length of the blocks over which standard errors of the decoders' scores are taken",
        "steps",
    )
    check: SensitivityBounds = key(
        SensitivityBounds(), "bounds that the study's results are judged against"
    )
