"""Posteriors calibrated by simulation: Figure 12."""
