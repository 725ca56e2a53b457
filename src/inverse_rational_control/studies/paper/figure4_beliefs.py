"""Figure 4: the posterior over the agent's beliefs, beside the beliefs it truly held."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inverse_rational_control import plotting as style
from inverse_rational_control.recordings.dataset import RECORD
from inverse_rational_control.seconds import axis_of_time
from inverse_rational_control.studies.paper.dataset import POSTERIOR
from inverse_rational_control.studies.paper.figure2_task_data import stretch, times, with_time
from inverse_rational_control.task import BOX_1, PUSH

__all__ = ["INPUTS", "draw", "numbers", "panel_average", "panel_joint", "panel_marginal"]

#: The datasets it takes, and their contracts.
INPUTS = {"record": RECORD, "posterior": POSTERIOR}

#: Posterior mass below this is not drawn in the 3-D panel.
_LEAST_MASS = 0.02


def _edges(centers: np.ndarray) -> np.ndarray:
    half = 0.5 * (centers[1] - centers[0]) if centers.size > 1 else 0.5
    return np.append(centers - half, centers[-1] + half)


def _true_belief(posterior: xr.Dataset, box: int) -> np.ndarray:
    return posterior["bin"].values[posterior["true_belief_bin"].sel(box=box).values]


def panel_joint(posterior: xr.Dataset, ax: Axes) -> None:
    """Draw the joint posterior over time as points (3-D axes) and the true path as a line."""
    mass = posterior["posterior"].values
    step, first, second = np.nonzero(mass > _LEAST_MASS)
    weight = mass[step, first, second]
    colors = np.tile(to_rgba(style.INFERRED), (weight.size, 1))
    colors[:, 3] = np.clip(0.15 + 1.5 * weight, 0, 1)
    points = ax.scatter(
        times(posterior)[step],
        posterior["bin_1"].values[first],
        posterior["bin_2"].values[second],
        s=70 * weight,
        c=colors,
        linewidths=0,
        depthshade=False,
        clip_on=False,
    )
    # Not clipped to the flat box of the axes, which the zoomed 3-D box leaves; the layout ignores them.
    points.set_in_layout(False)
    if "true_belief_bin" in posterior:
        (path,) = ax.plot(
            times(posterior),
            _true_belief(posterior, 1),
            _true_belief(posterior, 2),
            color=style.TRUE,
            linewidth=0.8,
            clip_on=False,
        )
        path.set_in_layout(False)
    ax.set_box_aspect((3.4, 1, 1), zoom=1.52)
    ax.view_init(elev=24, azim=-68)
    ax.set_xlim(times(posterior)[[0, -1]])
    ax.set_ylim(0, 1)
    ax.set_zlim(0, 1)
    ax.set_yticks([0, 0.5, 1])
    # The label of b2 = 0 would lie on that of b1 = 1.
    ax.set_zticks([0.5, 1])
    ax.tick_params(pad=-2)
    ax.set_xlabel(f"time ({axis_of_time(posterior.attrs)[1]})", labelpad=2)
    ax.set_ylabel(r"belief $b_1$", labelpad=-7)
    ax.set_zlabel(r"belief $b_2$", labelpad=-5)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("#f7f6f4")
        axis.pane.set_edgecolor("#d8d4cd")
        axis._axinfo["grid"].update(color="#e4e1dc", linewidth=0.4)


def panel_marginal(posterior: xr.Dataset, record: xr.Dataset, ax: Axes, box: int, top: float):
    """Draw one box's posterior as heat, the true belief as a line, pushes there as triangles.

    `top` is the probability of the darkest color.

    Returns
    -------
    matplotlib.collections.QuadMesh
        The heat, for a color bar.
    """
    time = times(posterior)
    heat = ax.pcolormesh(
        _edges(time.astype(float)),
        _edges(posterior["bin"].values),
        posterior["marginal"].sel(box=box).values.T,
        cmap=style.MASS,
        vmin=0,
        vmax=top,
    )
    if "true_belief_bin" in posterior:
        ax.plot(time, _true_belief(posterior, box), color=style.TRUE, linewidth=0.9)
    here = record["location"].values == BOX_1 + box - 1
    pushed = time[here & (record["action"].values == PUSH)]
    ax.plot(
        pushed,
        np.full(pushed.size, 1.07),
        "v",
        ms=3.5,
        mfc="white",
        mec=style.TRUE,
        mew=0.7,
        clip_on=False,
    )
    ax.set_ylim(0, 1)
    ax.set_yticks([0, 0.5, 1])
    ax.set_ylabel(f"belief $b_{box}$")
    return heat


def panel_average(posterior: xr.Dataset, ax: Axes, box: int, top: float):
    """Draw the posterior averaged over the steps of each true bin; bins never visited stay gray.

    `top` is the probability of the darkest color.

    Returns
    -------
    matplotlib.collections.QuadMesh
        The matrix, for a color bar.
    """
    chosen = posterior.sel(box=box)
    ax.set_facecolor("#e6e4e0")
    matrix = chosen["posterior_given_true"].transpose("bin", "true_bin")
    edges = _edges(posterior["bin"].values)
    cells = np.ma.masked_invalid(matrix.values)
    image = ax.pcolormesh(edges, edges, cells, cmap=style.MASS, vmin=0, vmax=top)
    ax.plot([0, 1], [0, 1], color=style.REFERENCE, linewidth=0.6, linestyle=(0, (4, 3)))
    ax.set_aspect("equal")
    ax.set_xticks([0, 0.5, 1])
    ax.set_yticks([0, 0.5, 1])
    ax.set_ylabel(f"inferred belief $b_{box}$")
    held, expected = (float(chosen[f"credible_{name}"]) for name in ("coverage", "expected"))
    ax.set_title(
        f"box {box}\ncorrelation {float(chosen['correlation']):.2f}\n"
        f"{100 * expected:.1f}% sets hold {100 * held:.1f}%",
        pad=3,
    )
    return image


def draw(posterior: xr.Dataset, record: xr.Dataset, first_step: int, n_steps: int) -> Figure:
    """Draw Figure 4 whole; without true beliefs only the posterior is drawn.

    Parameters
    ----------
    posterior : xarray.Dataset
        Kind posterior.
    record : xarray.Dataset
        Kind record; where the pushes are.
    first_step, n_steps : int
        The stretch shown in panel A.
    """
    shown = stretch(posterior, first_step, n_steps)
    behavior = stretch(record, first_step, n_steps)
    known = "posterior_given_true" in posterior
    with style.styled():
        figure = style.figure(5.2)
        grid = figure.add_gridspec(
            3,
            2 if known else 1,
            height_ratios=[2.4, 1, 1],
            width_ratios=[2.6, 1] if known else None,
        )
        joint = figure.add_subplot(grid[0, 0], projection="3d")
        panel_joint(shown, joint)
        marginals = [figure.add_subplot(grid[1, 0])]
        marginals.append(figure.add_subplot(grid[2, 0], sharex=marginals[0]))
        top = float(shown["marginal"].max())
        for box, ax in enumerate(marginals, start=1):
            heat = panel_marginal(shown, behavior, ax, box, top)
        marginals[0].tick_params(labelbottom=False)
        marginals[1].set_xlabel(f"time ({axis_of_time(shown.attrs)[1]})")
        figure.colorbar(heat, ax=marginals, label="posterior probability", pad=0.01, aspect=30)
        handles = [
            Line2D([], [], ls="none", marker="o", ms=5, color=style.INFERRED, alpha=0.8),
            Line2D([], [], color=style.TRUE),
            Line2D([], [], ls="none", marker="v", ms=3.5, mfc="white", mec=style.TRUE),
        ]
        labels = ["posterior mass", "true belief", "push at the box"]
        entries = [0, 1, 2] if known else [0, 2]
        figure.legend(
            [handles[entry] for entry in entries],
            [labels[entry] for entry in entries],
            loc="outside lower left",
            ncols=3,
        )
        if known:
            right = grid[:, 1].subgridspec(2, 1)
            averages = [figure.add_subplot(right[row, 0]) for row in (0, 1)]
            top = float(posterior["posterior_given_true"].max())
            for box, ax in enumerate(averages, start=1):
                image = panel_average(posterior, ax, box, top)
                ax.set_xlabel(f"true belief $b_{box}$")
            figure.colorbar(
                image, ax=averages, label="mean posterior", location="bottom", aspect=22, pad=0.02
            )
            style.panel_letter(averages[0], "B", up=12.0)
        figure.text(0.005, 0.97, "A", fontsize=11, fontweight="bold")
        figure.text(
            0.03,
            0.975,
            f"decoded with {posterior.attrs['parameters_from']}",
            fontsize=7,
            va="bottom",
        )
    return figure


def numbers(
    posterior: xr.Dataset, record: xr.Dataset, first_step: int, n_steps: int
) -> dict[str, pd.DataFrame]:
    """Tabulate the stretch's beliefs and pushes (A) and both averaged matrices (B).

    The joint posterior behind the 3-D panel is in the posterior's own file.
    """
    shown = stretch(posterior, first_step, n_steps)
    behavior = stretch(record, first_step, n_steps)
    pieces = []
    for box in (1, 2):
        table = (
            shown["marginal"]
            .sel(box=box, drop=True)
            .to_series()
            .rename("probability")
            .reset_index()
        )
        table.insert(0, "box", box)
        here = behavior["location"].values == BOX_1 + box - 1
        pushed = here & (behavior["action"].values == PUSH)
        per_step = pd.DataFrame({"step": shown["step"].values, "pushed": pushed})
        per_step = with_time(per_step, shown)
        if "true_belief_bin" in shown:
            per_step["true_belief"] = _true_belief(shown, box)
        pieces.append(table.merge(per_step, on="step"))
    tables = {"A": pd.concat(pieces, ignore_index=True)}
    if "posterior_given_true" in posterior:
        average = posterior["posterior_given_true"].to_series().rename("probability").reset_index()
        average = average.rename(columns={"true_bin": "true_belief"})
        for name in ("correlation", "credible_coverage", "credible_expected"):
            average[name] = average["box"].map(posterior[name].to_series())
        tables["B"] = average
    return tables
