"""The README's figures of time and memory are those of the stored table of the benchmarks."""

import csv
import re

import pytest

from tests import ROOT

README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
CASE = "T = 5000, N = 10"
#: What the README says, with one number in brackets, and the quantity of the table that it is.
SAID = {
    r"takes ([\d.]+) times as long as the best": f"E-step with all expected counts, {CASE}",
    r"([\d.]+) times with 20 bins": "E-step with all expected counts, T = 5000, N = 20",
    r"([\d.]+) times with 32,": "E-step with all expected counts, T = 5000, N = 32",
    r"`hmm_smoother` takes (\d+) times": (
        f"dynamax's hmm_smoother against the E-step with all counts, {CASE}"
    ),
    r"\((\d+) times as long if it need not": (
        f"dynamax's hmm_smoother, posterior alone against the E-step with all counts, {CASE}"
    ),
    r"supports, takes (\d+) times": (
        f"hmmlearn's score_samples against the E-step with all counts, {CASE}"
    ),
    r"steps \(fitted exponent ([\d.]+)\)": "exponent of the E-step's time in T, N = 10",
    r"of records \(([\d.]+)\)": "exponent of a batch's time in its records, T = 500, N = 10",
    r"the ([\d.]+)th power": "exponent of the E-step's time in N, diffusion of half a bin",
    r"steps need ([\d.]+) GiB": "peak resident memory of an E-step, T = 10 000 000, N = 10",
    r"one start takes (\d+) E-steps": f"E-steps of a fit, {CASE}, median",
    r"E-steps, ([\d.]+) s with planner": f"ten-parameter fit from one cold start, {CASE}, median",
    r"of a million steps, (\d+) s": "ten-parameter fit from one cold start, T = 1 000 000, N = 10",
    r"jobs with ([\d.]+) ms": "Snakemake's CPU time per planned job, 20701 jobs",
    r"each \(exponent ([\d.]+)\)": ("exponent of a dry run's CPU seconds in its jobs, up to 20701"),
    r"starts in ([\d.]+) s of CPU": "start-up and imports, rule scripts, median",
    r"a figure in ([\d.]+) s": "start-up and imports, figures, median",
}


@pytest.fixture(scope="module")
def measured():
    """The stored table's numbers by quantity."""
    with open(ROOT / "docs/benchmarks.csv", newline="", encoding="utf-8") as file:
        return {row["quantity"]: row["measured"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("words", SAID)
def test_figure_is_that_of_the_table(words, measured):
    (number,) = re.findall(words, README)
    decimals = len(number.partition(".")[2])
    assert abs(float(number) - float(measured[SAID[words]])) <= 0.5001 * 10.0**-decimals


def test_every_number_of_the_section_is_compared_or_known():
    section = README.partition("## How fast")[2].partition("## ")[0]
    compared = {number for words in SAID for number in re.findall(words, section)}
    # Sizes, the floor of imports, and how well other programs agree.
    known = {"5000", "10", "20", "32", "100", "20701", "0.75", "5", "512"}
    assert set(re.findall(r"[0-9]+(?:[.][0-9]+)?", section)) <= compared | known
