"""Tests, in the rooms of the package; `ROOT` is the project, `REFERENCE` holds reference numbers."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "tests/reference"
