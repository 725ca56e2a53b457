"""Inverse Rational Control: infer what a forager believes, wants and pays from what it does."""

__version__ = "0.1.0"
