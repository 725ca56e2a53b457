"""What a rule's script imports, every job pays for anew: heavy packages only where they are used."""

import subprocess
import sys

import pytest

from tests import ROOT

SCRIPTS = ROOT / "workflow" / "scripts"
HEAVY = (
    *("numba", "xarray", "pydantic", "matplotlib", "matplotlib.pyplot", "arviz", "nutpie"),
    *("scipy.special", "scipy.optimize", "scipy.interpolate", "scipy.stats", "snakemake"),
)
_FILES = {"xarray"}
_LOOPS = _FILES | {"numba"}
_FITS = _LOOPS | {"scipy.special", "scipy.optimize", "pydantic"}
#: Scripts by what they do, and what of the heavy packages that takes.
KINDS = {
    "texts": (set(), "check_criteria gather_criteria tabulate_costs"),
    "figures": (_FILES | {"matplotlib"}, "draw_figure"),
    "files": (
        _FILES,
        "import_animal judge_study summarize_alternatives summarize_animal summarize_identifiability "
        "summarize_optimization summarize_sensitivity tabulate_animals tabulate_parameters",
    ),
    "recordings": ({"pydantic"}, "convert_events"),
    "distributions": (
        _FILES | {"scipy.special"},
        "summarize_calibration summarize_population summarize_recovery",
    ),
    "loops": (
        _LOOPS,
        "compare_models decode_beliefs map_likelihood resimulate_agent score_decoders simulate_agent "
        "simulate_population simulate_sensitivity",
    ),
    "loops and distributions": (_LOOPS | {"scipy.special"}, "expect_information find_fixed_points"),
    "fits": (
        _FITS,
        "calibrate_agents compare_descriptions fit_alternatives fit_sensitivity "
        "follow_optimization_paths sample_posterior search_again search_by_brute_force "
        "search_slow_agent",
    ),
    "fits with profiles": (_FITS | {"scipy.interpolate"}, "fit_agent profile_likelihoods"),
}


def test_every_script_has_a_kind():
    named = [name for _, names in KINDS.values() for name in names.split()]
    assert sorted(named) == sorted(path.stem for path in SCRIPTS.glob("*.py"))


@pytest.mark.parametrize("kind", KINDS)
def test_scripts_import_what_they_need_and_no_more(kind):
    allowed, names = KINDS[kind]
    program = (
        "import runpy, sys; "
        "[runpy.run_path(path, run_name='imported') for path in sys.argv[1:]]; "
        "print(*sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, *(SCRIPTS / f"{name}.py" for name in names.split())],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(HEAVY) & set(run.stdout.split()) == allowed
