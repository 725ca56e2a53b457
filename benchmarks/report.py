"""One table and one figure of what was measured, and the machine it was measured on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import NullLocator

from benchmarks.machine import machine
from benchmarks.measure import Measurement
from benchmarks.studies import (
    E_STEP_TARGET,
    FIXED,
    HALF_A_BIN,
    PLANNER_TARGETS,
    Findings,
    Sizes,
    multiply_adds,
)
from inverse_rational_control import plotting as style

__all__ = ["COLUMNS", "draw", "table", "write"]

COLUMNS = ("quantity", "measured", "unit", "target", "met", "share_of_target", "note")


def _shown(value: float) -> str:
    if np.isnan(value):
        return "not measured"
    return f"{value:.3g}" if abs(value) < 1e3 else f"{value:.0f}"


def table(rows: list[Measurement]) -> pd.DataFrame:
    """The rows as a table with the columns `COLUMNS`."""
    return pd.DataFrame(
        [
            (
                *(row.quantity, row.measured, row.unit),
                *("" if row.target is None else str(row.target), row.met, row.share, row.note),
            )
            for row in rows
        ],
        columns=COLUMNS,
    )


def _markdown(rows: list[Measurement], where: dict) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in where["versions"].items())
    lines = [
        "# Benchmarks",
        "",
        f"{where['processor']}, {where['cores']} cores, {where['memory_gib']} GiB; {where['system']}; "
        f"{where['linear_algebra']}; {versions}. Revision {where['git_revision']}, "
        f"{where['created']}.",
        "",
        "One core, medians over repetitions. A share of the target of at most 1 means met.",
        "",
        "| quantity | measured | unit | target | met | share of target | note |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        share = "" if row.share is None or np.isnan(row.share) else _shown(row.share)
        target = "" if row.target is None else str(row.target)
        cells = (row.quantity, _shown(row.measured), row.unit, target, row.met, share, row.note)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", "![Cost against T and N](benchmarks.png)", ""])


_LIMIT = "limit: its multiply-adds at the best rate of a matrix product"
#: Marker, color and name in the legend of each other program.
_PEER_MARKS = {
    "dynamax": ("s", style.QUASI_NEWTON, "dynamax, the same chain"),
    "hmmlearn": ("D", style.TRUE, "hmmlearn, a simpler chain"),
}


def draw(found: Findings, sizes: Sizes, where: dict):
    """Figure: E-step against T and N, with the limit and other programs; planner, batches, runs."""
    points = pd.DataFrame(found.points, columns=["panel", "series", "x", "seconds"])
    rate = found.multiply_adds_per_second
    limits = {
        "A": lambda t: multiply_adds(t, sizes.n_bins) / rate,
        "B": lambda n: multiply_adds(sizes.n_steps, n) / rate,
    }
    colors = {HALF_A_BIN: style.INFERRED, FIXED: style.WORLD}
    with style.styled():
        figure = style.figure(5.0)
        axes = figure.subplot_mosaic("ABC;DE.")
        for letter, ax in axes.items():
            style.panel_letter(ax, letter)
            ax.set(xscale="log", yscale="log")
            here = points[points["panel"] == letter]
            for name, color in colors.items():
                line = here[here["series"] == name].sort_values("x")
                ax.plot(line["x"], line["seconds"], "o-", ms=3.5, color=color, label=name)
            for name, (marker, color, label) in _PEER_MARKS.items():
                peer = here[here["series"] == name]
                if len(peer):
                    ax.plot(peer["x"], peer["seconds"], marker, ms=5, color=color, label=label)
            if letter in limits and len(here) and np.isfinite(rate):
                x = np.geomspace(here["x"].min(), here["x"].max(), 2)
                ax.plot(x, limits[letter](x), color=style.REFERENCE, label=_LIMIT)
                ax.plot(
                    x,
                    E_STEP_TARGET * limits[letter](x),
                    "--",
                    color=style.REFERENCE,
                    label="targets",
                )
        axes["A"].set(xlabel="steps T", ylabel="seconds", title=f"E-step, N = {sizes.n_bins}")
        axes["B"].set(xlabel="bins per box N", title=f"E-step, T = {sizes.n_steps}")
        axes["C"].set(xlabel="bins per box N", title="planner: solve and adjoint")
        at, target = zip(*PLANNER_TARGETS.items(), strict=True)
        axes["C"].plot(at, target, "_", ms=14, mew=1.5, color=style.REFERENCE)
        for letter in "BC":
            axes[letter].margins(x=0.12)
            axes[letter].set_xticks(sizes.bins, [str(n) for n in sizes.bins])
            axes[letter].xaxis.set_minor_locator(NullLocator())
        for letter, name in (("D", "records"), ("E", "jobs")):
            line = points[points["series"] == name].sort_values("x")
            axes[letter].plot(line["x"], line["seconds"], "o-", ms=3.5, color=style.INFERRED)
        axes["D"].set(xlabel="records", ylabel="seconds", title="one job that fits a batch")
        axes["E"].set(xlabel="jobs", ylabel="CPU seconds", title="Snakemake's dry run")
        marks = {}
        for ax in axes.values():
            handles, names = ax.get_legend_handles_labels()
            marks |= dict(zip(names, handles, strict=True))
        figure.legend(marks.values(), marks.keys(), loc="outside lower center", ncols=3)
        title = f"One core of {where['processor']}"
        if np.isfinite(rate):
            title += f", {rate / 1e9:.3g} · 10⁹ multiply-adds per second in a matrix product"
        figure.suptitle(title, fontsize=8)
    return figure


def write(found: Findings, sizes: Sizes, folder: Path) -> pd.DataFrame:
    """Write table (CSV and Markdown), figure and machine into `folder`; returns the table."""
    folder.mkdir(parents=True, exist_ok=True)
    where = machine()
    rows = table(found.rows)
    rows.to_csv(folder / "benchmarks.csv", index=False)
    (folder / "benchmarks.md").write_text(_markdown(found.rows, where), encoding="utf-8")
    (folder / "machine.json").write_text(json.dumps(where, indent=2) + "\n", encoding="utf-8")
    points = pd.DataFrame(found.points, columns=["panel", "series", "x", "seconds"])
    points.to_csv(folder / "benchmarks_numbers.csv", index=False)
    style.save(
        draw(found, sizes, where), [folder / f"benchmarks.{kind}" for kind in ("pdf", "png")]
    )
    return rows
