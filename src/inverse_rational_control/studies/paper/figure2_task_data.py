"""Figure 2: a stretch of the record, box by box."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from inverse_rational_control import plotting as style
from inverse_rational_control.recordings.dataset import RECORD
from inverse_rational_control.seconds import axis_of_time
from inverse_rational_control.task import BOX_1, BOX_2, LOCATIONS, MIDDLE, PUSH

__all__ = ["INPUTS", "draw", "numbers", "panel_availability", "panel_behavior", "panel_cues"]

#: The datasets it takes, and their contracts.
INPUTS = {"record": RECORD}

#: Height of each location in the trace: box 1 above, box 2 below, as their bands are.
_HEIGHT = np.array([0.0, 1.0, -1.0])


def stretch(record: xr.Dataset, first_step: int, n_steps: int) -> xr.Dataset:
    """Cut `n_steps` steps from `first_step` on; a shorter record gives its last steps."""
    total = record.sizes["step"]
    first = max(0, min(first_step, total - n_steps))
    cut = record.isel(step=slice(first, first + n_steps)).load()
    # Of long files that are read in blocks, steps are no index yet.
    return cut if "step" in cut.indexes or "step" not in cut.coords else cut.set_xindex("step")


def times(dataset: xr.Dataset) -> np.ndarray:
    """When each step was, on the axis of time: its number, or seconds where a step's width is known."""
    return dataset["step"].values * axis_of_time(dataset.attrs)[0]


def with_time(table: pd.DataFrame, dataset: xr.Dataset) -> pd.DataFrame:
    """A table with a row per step, and the seconds that the axis shows beside the steps."""
    if axis_of_time(dataset.attrs)[1] == "s":
        table.insert(1, "time", times(dataset))
    return table


def _edges(record: xr.Dataset) -> np.ndarray:
    time, half = times(record), 0.5 * axis_of_time(record.attrs)[0]
    return np.append(time - half, time[-1] + half)


def n_cues(record: xr.Dataset) -> int:
    """Number of cue colors of the record's task."""
    return int(json.loads(record.attrs["task"])["n_cues"])


def panel_cues(record: xr.Dataset, ax: Axes, box: int) -> None:
    """Draw the cue colors at one box, one cell per step; white where there is none."""
    count = n_cues(record)
    cells = record["cue"].sel(box=box).values[None, :]
    cells = np.ma.masked_less(cells, 0)
    norm = BoundaryNorm(np.arange(count + 1) - 0.5, count)
    colors = ListedColormap(style.CUES(np.linspace(0, 1, count)))
    ax.pcolormesh(_edges(record), [0, 1], cells, cmap=colors, norm=norm)
    _strip(ax, "cue")


def panel_availability(record: xr.Dataset, ax: Axes, box: int) -> None:
    """Draw the true availability of food at one box, one cell per step."""
    cells = record["food"].sel(box=box).values[None, :]
    colors = ListedColormap([style.UNAVAILABLE, style.AVAILABLE])
    ax.pcolormesh(_edges(record), [0, 1], cells, cmap=colors, vmin=0, vmax=1)
    _strip(ax, "food")


def _strip(ax: Axes, label: str) -> None:
    ax.set_yticks([0.5], [label])
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", bottom=False, labelbottom=False)
    for side in ax.spines.values():
        side.set_visible(False)


def panel_behavior(record: xr.Dataset, ax: Axes) -> None:
    """Draw where the agent is at each step, its pushes and the food it obtains."""
    time = times(record)
    height = _HEIGHT[record["location"].values]
    pushed = record["action"].values == PUSH
    rewarded = record["reward"].values > 0
    ax.step(time, height, where="mid", color=style.TRUE, linewidth=1.0)
    ax.plot(
        time[pushed],
        height[pushed] - 0.22,
        linestyle="none",
        marker="^",
        markersize=4,
        markerfacecolor="white",
        markeredgecolor=style.TRUE,
        markeredgewidth=0.8,
    )
    ax.plot(
        time[rewarded],
        height[rewarded] + 0.24,
        linestyle="none",
        marker="*",
        markersize=7,
        markerfacecolor=style.REWARD,
        markeredgecolor=style.TRUE,
        markeredgewidth=0.5,
    )
    order = (BOX_1, MIDDLE, BOX_2)
    ax.set_yticks(_HEIGHT[list(order)], [LOCATIONS[place] for place in order])
    ax.set_ylim(-1.5, 1.5)


def _legend(record: xr.Dataset, figure: Figure) -> None:
    count = n_cues(record)
    handles = []
    if "food" in record:
        handles += [
            Patch(color=style.AVAILABLE, label="food available"),
            Patch(color=style.UNAVAILABLE, label="food unavailable"),
        ]
    handles += [
        Line2D([], [], color=style.TRUE, label="agent's location"),
        Line2D([], [], ls="none", marker="^", ms=4, mfc="white", mec=style.TRUE, label="push"),
        Line2D(
            [], [], ls="none", marker="*", ms=7, mfc=style.REWARD, mec=style.TRUE, label="reward"
        ),
    ]
    if count > 1:
        cues = tuple(Patch(color=style.CUES(index / (count - 1))) for index in range(count))
        cues[0].set_label("cue color, reddest to bluest")
        handles.append(cues)
    figure.legend(
        handles=handles,
        labels=[(one[0] if isinstance(one, tuple) else one).get_label() for one in handles],
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.0)},
        loc="outside lower center",
        ncols=len(handles),
        columnspacing=1.0,
        handletextpad=0.4,
        handlelength=1.6,
    )


def draw(record: xr.Dataset, first_step: int, n_steps: int) -> Figure:
    """Draw Figure 2 whole; without cues, or known availability, their bands are left out.

    Parameters
    ----------
    record : xarray.Dataset
        Kind record.
    first_step, n_steps : int
        The stretch shown.
    """
    shown = stretch(record, first_step, n_steps)
    strips = ["cue"] * (n_cues(record) > 1) + ["food"] * ("food" in shown)
    rows = [(name, 1) for name in strips] + [("behavior", 0)] + [(name, 2) for name in strips]
    with style.styled():
        figure = style.figure(1.75 + 0.36 * len(strips))
        axes = figure.subplots(
            len(rows),
            1,
            sharex=True,
            squeeze=False,
            gridspec_kw={"height_ratios": [4.5 if name == "behavior" else 1 for name, _ in rows]},
        )[:, 0]
        figure.get_layout_engine().set(h_pad=0.015, hspace=0.0)
        for ax, (name, box) in zip(axes, rows, strict=True):
            if name in strips[:1]:
                ax.set_title(f"box {box}", loc="left", pad=2)
            if name == "cue":
                panel_cues(shown, ax, box)
            elif name == "food":
                panel_availability(shown, ax, box)
            else:
                panel_behavior(shown, ax)
                ax.tick_params(axis="x", bottom=False, labelbottom=False)
                ax.spines["bottom"].set_visible(False)
        axes[-1].tick_params(axis="x", bottom=True, labelbottom=True)
        axes[-1].set_xlim(_edges(shown)[[0, -1]])
        axes[-1].set_xlabel(f"time ({axis_of_time(shown.attrs)[1]})")
        _legend(shown, figure)
    return figure


def numbers(record: xr.Dataset, first_step: int, n_steps: int) -> dict[str, pd.DataFrame]:
    """Tabulate the stretch shown, one row per step."""
    shown = stretch(record, first_step, n_steps)
    table = {name: shown[name].values for name in ("location", "action", "reward")}
    for name in ("cue", "food"):
        for box in (1, 2) if name in shown else ():
            table[f"{name}_{box}"] = shown[name].sel(box=box).values
    return {"A": with_time(pd.DataFrame({"step": shown["step"].values} | table), shown)}
