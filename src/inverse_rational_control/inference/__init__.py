"""Maximum-likelihood inference for any objective: optimizers, verdicts, information, intervals."""
