"""The two-box task as an inference problem: likelihood, starts, decoding, behavior."""
