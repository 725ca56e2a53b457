"""The table of costs: rules by their seconds, sums and peaks of what jobs say and of benchmark files."""

import csv
import importlib.util

import pytest

from tests import ROOT

_PLACE = ROOT / "workflow/scripts/tabulate_costs.py"
_SPECIFICATION = importlib.util.spec_from_file_location("tabulate_costs", _PLACE)
script = importlib.util.module_from_spec(_SPECIFICATION)
_SPECIFICATION.loader.exec_module(script)

HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


@pytest.fixture
def place(tmp_path):
    """Benchmark files of two fits and of a job that was over before it was looked at."""
    for rule, job, seconds, memory, cpu in (
        ("fit", "seeds0-1", "10.5", "300.25", "9.0"),
        ("fit", "seeds2-3", "20.0", "280.00", "18.5"),
        ("check", "check", "0.2", "NA", "NA"),
    ):
        folder = tmp_path / "costs" / rule
        folder.mkdir(parents=True, exist_ok=True)
        line = f"{seconds}\t0:00:10\t{memory}\t1\t1\t1\t0\t0\t90\t{cpu}\n"
        (folder / f"{job}.tsv").write_text(HEADER + line)
    (tmp_path / "costs" / "begun_and_never_finished").mkdir()
    return tmp_path


def tabulated(place):
    script.main(place / "costs_of_paper.csv")
    with open(place / "costs_of_paper.csv", newline="") as file:
        return list(csv.reader(file))


def test_rules_by_seconds_with_sums_and_peaks(place):
    table = tabulated(place)
    assert table[0] == list(script.COLUMNS)
    assert table[1:] == [
        ["fit", "2", "30.5", "20.0", "27.5", "300.2"],
        ["check", "1", "0.2", "0.2", "0.0", "0.0"],
        ["all rules", "3", "30.7", "20.0", "27.5", "300.2"],
    ]


def test_what_a_job_says_of_itself_counts_before_what_was_seen(place):
    # A late peak of the first fit, and the job that nobody looked at; the second fit was killed.
    for name, last in (
        ("seeds0-1", "finished after 10.25 s of CPU time, with at most 900.5 MiB of memory"),
        ("seeds2-3", "decoding"),
        ("check", "finished after 0.15 s of CPU time, with at most 80.0 MiB of memory"),
    ):
        (place / f"{name}.log").write_text(f"2026-01-01 00:00:00,000 INFO {last}\n")
    assert tabulated(place)[1:] == [
        ["fit", "2", "30.5", "20.0", "28.8", "900.5"],
        ["check", "1", "0.2", "0.2", "0.1", "80.0"],
        ["all rules", "3", "30.7", "20.0", "28.9", "900.5"],
    ]
