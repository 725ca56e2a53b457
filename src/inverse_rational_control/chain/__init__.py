"""A hidden Markov chain whose state is a product of two factors; knows nothing of foraging."""
