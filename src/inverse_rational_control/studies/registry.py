"""All studies, listed once: their figures, and whether they are the paper's or go beyond it.

A study is a package here (`dataset`, `criteria`, figures), a rule file in workflow/rules and a section
of the configuration, all of one name. CONTRIBUTING.md says how to add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["FIGURES", "STUDIES", "Figure", "Study", "studies_made"]


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes
    ----------
    number : int
    title : str
    module : str
        Of `studies`; it holds `INPUTS` (contract of each dataset by name), `draw` and `numbers`.
    """

    number: int
    title: str
    module: str


@dataclass(frozen=True)
class Study:
    """One study.

    Attributes
    ----------
    name : str
    of_the_paper : bool
        Part of `make`; others are part of `make studies`, and can be switched off in their section.
    figures : tuple of Figure
    needs_cues : bool
        Whether its truths, bounds and criteria are of all ten parameters, two of which agents have not
        where there are no cues.
    """

    name: str
    of_the_paper: bool
    figures: tuple[Figure, ...]
    needs_cues: bool = True


#: In the order of their figures.
STUDIES = (
    Study(
        "paper",
        True,
        (
            Figure(1, "Graphical models", "paper.figure1_graphical_models"),
            Figure(2, "Task data", "paper.figure2_task_data"),
            Figure(3, "Parameters", "paper.figure3_parameters"),
            Figure(4, "Beliefs", "paper.figure4_beliefs"),
            Figure(5, "Behavior", "paper.figure5_behavior"),
        ),
        needs_cues=False,
    ),
    Study("recovery", True, (Figure(6, "Recovery", "recovery.figure"),)),
    Study("population", False, (Figure(7, "Many agents", "population.figure"),)),
    Study("optimization", False, (Figure(8, "Optimization", "optimization.figure"),)),
    Study("identifiability", False, (Figure(9, "Identifiability", "identifiability.figure"),)),
    Study("alternatives", False, (Figure(10, "Alternative models", "alternatives.figure"),)),
    Study("sensitivity", False, (Figure(11, "Sensitivity", "sensitivity.figure"),)),
    Study("calibration", False, (Figure(12, "Posterior", "calibration.figure"),)),
)

#: Every figure by its number.
FIGURES = {figure.number: figure for study in STUDIES for figure in study.figures}


def studies_made(config: Mapping[str, Any]) -> list[Study]:
    """Studies that are part of a run of a checked configuration, in order."""
    has_cues = config["task"]["n_cues"] > 1
    return [
        study
        for study in STUDIES
        if (study.of_the_paper or config[study.name]["enabled"])
        and (has_cues or not study.needs_cues)
    ]
