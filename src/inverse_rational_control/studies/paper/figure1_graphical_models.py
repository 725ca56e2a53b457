"""Figure 1: graphical models of the agent's and of the experimenter's problem."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from inverse_rational_control import plotting as style

__all__ = ["INPUTS", "draw", "panel_model"]

#: The datasets it takes, and their contracts.
INPUTS = {}

_SLICE = 2.0
_RADIUS = 0.34
#: Place of each variable inside a time slice.
_PLACES = {
    "s": (0.0, 3.35),
    "r": (1.0, 2.5),
    "o": (0.0, 1.95),
    "a": (1.0, 0.75),
    "b": (0.0, 0.0),
}
#: Cause, effect, and how many time slices later.
_EDGES = (
    ("s", "s", 1),
    ("s", "o", 0),
    ("a", "s", 1),
    ("o", "b", 0),
    ("b", "b", 1),
    ("b", "a", 0),
    ("a", "b", 1),
    ("s", "r", 0),
    ("a", "r", 0),
)
_SLICES = ("t{-}1", "t", "t{+}1")


def _node(ax: Axes, place: tuple[float, float], label: str, observed: bool) -> None:
    ax.add_patch(
        Circle(
            place,
            _RADIUS,
            facecolor=style.TRUE if observed else "white",
            edgecolor=style.TRUE,
            linewidth=1.0,
            zorder=3,
        )
    )
    ax.text(
        *place,
        label,
        color="white" if observed else style.TRUE,
        ha="center",
        va="center_baseline",
        fontsize=8,
        zorder=4,
    )


def _arrow(ax: Axes, start, end, *, shrink_end: bool = True) -> None:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = (dx**2 + dy**2) ** 0.5
    gap = _RADIUS / length
    stop = 1.0 - (1.1 * gap if shrink_end else 0.0)
    ax.add_patch(
        FancyArrowPatch(
            (start[0] + gap * dx, start[1] + gap * dy),
            (start[0] + stop * dx, start[1] + stop * dy),
            arrowstyle="-|>",
            mutation_scale=8,
            linewidth=0.9,
            color=style.TRUE,
            shrinkA=0,
            shrinkB=0,
            zorder=2,
        )
    )


def _frame(ax: Axes, bottom: float, top: float, label: str, at_top: bool) -> None:
    left, right = -0.62, _SLICE * (len(_SLICES) - 1) + 1.62
    ax.add_patch(
        FancyBboxPatch(
            (left, bottom),
            right - left,
            top - bottom,
            boxstyle="round,pad=0,rounding_size=0.18",
            facecolor="#f3f1ee",
            edgecolor="#c9c4bc",
            linewidth=0.7,
            zorder=0,
        )
    )
    ax.text(
        right - 0.12,
        top - 0.1 if at_top else bottom + 0.1,
        label,
        fontsize=7,
        color="#5c574f",
        ha="right",
        va="top" if at_top else "bottom",
    )


def panel_model(ax: Axes, observed: str, hidden: str = "", known_parameters: str = "") -> None:
    """Draw three time slices of the model.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    observed : str
        Letters of the variables that are observed (filled circles).
    hidden : str
        Letters of the variables that are left out.
    known_parameters : str
        Which of "phi" and "theta" is known (filled).
    """
    _frame(ax, 1.43, 4.0, "world", at_top=True)
    _frame(ax, -0.5, 1.22, "agent", at_top=False)
    shown = {letter: place for letter, place in _PLACES.items() if letter not in hidden}
    for index, time in enumerate(_SLICES):
        for letter, (x, y) in shown.items():
            _node(ax, (x + _SLICE * index, y), f"${letter}_{{{time}}}$", letter in observed)
    for cause, effect, later in _EDGES:
        if cause in hidden or effect in hidden:
            continue
        (x0, y0), (x1, y1) = shown[cause], shown[effect]
        for index in range(len(_SLICES)):
            start = (x0 + _SLICE * index, y0)
            end = (x1 + _SLICE * (index + later), y1)
            if index + later < len(_SLICES):
                _arrow(ax, start, end)
    for name, symbol, height in (("phi", r"$\phi$", 2.72), ("theta", r"$\theta$", 0.38)):
        _node(ax, (-1.4, height), symbol, name in known_parameters)
        _arrow(ax, (-1.4, height), (-0.64, height), shrink_end=False)
    ax.set_xlim(-1.8, _SLICE * (len(_SLICES) - 1) + 1.75)
    ax.set_ylim(-0.55, 4.05)
    ax.set_aspect("equal")
    ax.axis("off")


def draw() -> Figure:
    """Draw Figure 1 whole."""
    with style.styled():
        figure = style.figure(2.35)
        left, right = figure.subplots(1, 2)
        panel_model(left, observed="orab", known_parameters="theta")
        panel_model(right, observed="oa", hidden="r", known_parameters="phi")
        left.set_title("the agent's problem: plan with a belief", pad=2)
        right.set_title("the experimenter's problem: infer the belief", pad=2)
        for ax, letter in ((left, "A"), (right, "B")):
            style.panel_letter(ax, letter, left=0.0, up=2.0)
    return figure
