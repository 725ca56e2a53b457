"""One look for every figure: palette, style, panel letters; saving that depends on content only."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib.style
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter

from inverse_rational_control.parameters import AGENT_PARAMETERS, EXTRA_PARAMETERS
from inverse_rational_control.storage.atomic import write_whole

__all__ = [
    "AVAILABLE",
    "CUES",
    "DASHED",
    "INFERRED",
    "MASS",
    "PNG_RESOLUTION",
    "QUASI_NEWTON",
    "REFERENCE",
    "REWARD",
    "SIGNED",
    "SYMBOLS",
    "TRUE",
    "UNAVAILABLE",
    "WIDTH",
    "WORLD",
    "coverage_points",
    "figure",
    "number",
    "panel_letter",
    "parameter_axis",
    "parameter_grid",
    "parameter_title",
    "percent",
    "points_aside",
    "save",
    "styled",
    "typeset",
    "write_numbers",
]

#: Width of a two-column figure, inches.
WIDTH = 7.0
PNG_RESOLUTION = 200

# Red and cyan mean available and unavailable food, and nothing else. The other colors are from the
# Okabe-Ito set or differ in lightness, so they stay apart for color-blind readers and in gray.
AVAILABLE = "#d7263d"
UNAVAILABLE = "#3fc8d8"
TRUE = "#1a1a1a"
INFERRED = "#6a3d9a"
WORLD = "#e69f00"
QUASI_NEWTON = "#009e73"
REWARD = "#f0c808"
REFERENCE = "#8c8c8c"

#: Cue colors, low index (redder) to high index (bluer).
CUES = LinearSegmentedColormap.from_list("cues", [AVAILABLE, "#efe9e6", UNAVAILABLE])
#: Probability mass, from nothing (white) to the color of what is inferred.
MASS = LinearSegmentedColormap.from_list("mass", ["white", "#b39ad3", INFERRED, "#2b1247"])

#: Signed quantities: two colors apart for every reader, white at zero; not the colors of food.
SIGNED = "PRGn_r"

#: Symbol of each of the agent's parameters.
SYMBOLS = {p.name: p.symbol for p in (*AGENT_PARAMETERS, *EXTRA_PARAMETERS)}

#: A line for what theory says, or for equality.
DASHED = {"color": TRUE, "lw": 0.8, "ls": (0, (4, 2))}

_UNITS = {p.name: p.unit for p in (*AGENT_PARAMETERS, *EXTRA_PARAMETERS)}
_GRID_COLUMNS = 5
_GAP = 0.4  # between parameters and what is said of all of them
_MARKERS = ("v", "s", "o", "^", "D")

_STYLE = Path(__file__).with_name("paper.mplstyle")


@contextmanager
def styled() -> Iterator[None]:
    """Draw inside this context to get the project's fonts, lines and ticks (paper.mplstyle).

    A user's own matplotlib settings change nothing.
    """
    with matplotlib.style.context(_STYLE, after_reset=True):
        yield


def figure(height: float) -> Figure:
    """Make an empty figure of the project's width, laid out so that nothing overlaps."""
    return Figure(figsize=(WIDTH, height), layout="constrained")


def panel_letter(ax: Axes, letter: str, *, left: float = -28.0, up: float = 4.0) -> None:
    """Put a panel's letter at the top left of its axes, `left` and `up` in points."""
    ax.annotate(
        letter,
        (0.0, 1.0),
        (left, up),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=11,
        fontweight="bold",
        annotation_clip=False,
    )


def typeset(number: str) -> str:
    """A formatted number with a minus sign instead of a hyphen."""
    return number.replace("-", "−")


def number(value: float, digits: int) -> str:
    """A number as text, `digits` after the point, without a negative zero; a dash where not finite."""
    return typeset(f"{value:z.{digits}f}") if np.isfinite(value) else "–"


def parameter_title(name: str) -> str:
    """Symbol of a parameter, and its unit if it has one."""
    return SYMBOLS[name] if _UNITS[name] == "1" else f"{SYMBOLS[name]} ({_UNITS[name]})"


def percent(axis: Axis) -> None:
    """Label an axis of shares in whole percent."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))


def parameter_grid(
    parent: SubFigure,
    names: Sequence[str],
    draw: Callable[[Axes, str], None],
    ylabel: str,
    xlabel: str,
    sharex: bool = False,
) -> np.ndarray:
    """Draw one panel per parameter, in rows; the labels stand once per row, and once below all.

    Parameters
    ----------
    parent : SubFigure
    names : sequence of str
        Of parameters; what is left of the last row stays empty.
    draw : callable
        Draws one parameter into its axes.
    ylabel, xlabel : str
    sharex : bool

    Returns
    -------
    ndarray of Axes, shape (rows, columns)
    """
    axes = parent.subplots(-(-len(names) // _GRID_COLUMNS), _GRID_COLUMNS, sharex=sharex)
    for ax, name in zip(axes.flat, names, strict=False):
        draw(ax, name)
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel(ylabel)
    axes[-1, _GRID_COLUMNS // 2].set_xlabel(xlabel)
    return axes


def parameter_axis(ax: Axes, names: Sequence[str], more: Sequence[str] = ()) -> None:
    """Put parameters' symbols along the horizontal axis at 0, 1, .., and further labels after a gap."""
    places = [*range(len(names)), *(len(names) + _GAP + k for k in range(len(more)))]
    ax.set_xlim(-0.6, places[-1] + 0.6)
    ax.set_xticks(places, [*(SYMBOLS[name] for name in names), *more])
    ax.tick_params(axis="x", length=0)


def points_aside(ax: Axes, place: float, values: np.ndarray, reach: float = 0.28) -> None:
    """Draw small gray points above a place, spread sideways."""
    # A fixed offset, so that equal content gives equal pictures.
    aside = reach * np.cos(7.0 * np.arange(len(values)))
    ax.plot(place + aside, values, "o", ms=1.5, mew=0, color=REFERENCE, alpha=0.6)


def coverage_points(ax: Axes, summary: xr.Dataset) -> None:
    """Draw shares of intervals that hold the truth, per parameter and level, and over all parameters.

    Parameters
    ----------
    ax : Axes
    summary : xarray.Dataset
        With coverage (parameter, level), pooled_coverage and pooled_coverage_standard_error (level).
    """
    names = list(summary["parameter"].values)
    for k, level in enumerate(summary["level"].values):
        part = summary.sel(level=level)
        mark = {"marker": _MARKERS[k % len(_MARKERS)], "ms": 3.4, "ls": "none"}
        ax.axhline(level, zorder=0, **DASHED)
        ax.plot(np.arange(len(names)), part["coverage"], color=INFERRED, **mark)
        ax.errorbar(
            [len(names) + _GAP],
            [float(part["pooled_coverage"])],
            yerr=[float(part["pooled_coverage_standard_error"])],
            elinewidth=1.1,
            capsize=2,
            color=TRUE,
            **mark,
        )
    ax.set_ylim(top=1.02)
    ax.set_yticks(summary["level"].values)
    percent(ax.yaxis)
    parameter_axis(ax, names, ["all"])


def save(figure: Figure, paths: Sequence[str | Path]) -> None:
    """Write a figure, once per path, in the format its suffix names (.pdf or .png).

    Files hold no dates and no version strings: the same content gives the same bytes.

    Raises
    ------
    ValueError
        If a suffix is neither .pdf nor .png.
    """
    metadata = {
        ".pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
        ".png": {"Software": None},
    }
    with styled():
        # Lay out once, so that every format shows the same arrangement.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    for path in map(Path, paths):
        if path.suffix not in metadata:
            raise ValueError(f"{path}: found suffix {path.suffix!r}, allowed: .pdf or .png")
        picture, form = io.BytesIO(), path.suffix.removeprefix(".")
        with styled():
            figure.savefig(picture, format=form, dpi=PNG_RESOLUTION, metadata=metadata[path.suffix])
        write_whole(path, picture.getvalue())


def write_numbers(tables: Mapping[str, pd.DataFrame], path: str | Path) -> None:
    """Write what the panels show as one tidy CSV: a row per mark, its panel in the first column.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Per panel letter; columns that a panel lacks stay empty in its rows.
    path : str or Path
        The CSV file.
    """
    labeled = []
    for panel, table in tables.items():
        table = table.reset_index(drop=True)
        table.insert(0, "panel", panel)
        labeled.append(table)
    write_whole(path, pd.concat(labeled, ignore_index=True).to_csv(index=False))
