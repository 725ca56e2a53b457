"""A hidden Markov chain whose state is a product of two factors; knows nothing of foraging."""

from inverse_rational_control.chain.forward_backward import (
    ChainInputs,
    ChainTables,
    ExpectedCounts,
    chain_log_likelihood,
    expected_counts,
    most_probable_path,
)

__all__ = [
    "ChainInputs",
    "ChainTables",
    "ExpectedCounts",
    "chain_log_likelihood",
    "expected_counts",
    "most_probable_path",
]
