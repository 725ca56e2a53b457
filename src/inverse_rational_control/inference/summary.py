"""A fit, or a posterior, as a table for people."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from inverse_rational_control.inference.intervals import IntervalKind, Intervals
from inverse_rational_control.inference.start import AGREE
from inverse_rational_control.inference.verdict import FitStatus

if TYPE_CHECKING:
    from inverse_rational_control.inference.fit import Fit
    from inverse_rational_control.inference.posterior import Posterior

__all__ = ["posterior_table", "summary_table"]

_WIDTH = 88
_BY_PROFILE = (
    "intervals are by profile likelihood: values within the chi-square quantile of the maximum; "
    "standard errors do not hold"
)
_IN_WORDS = {
    FitStatus.CONVERGED: "converged (the estimate is the highest maximum that the starts found)",
    FitStatus.AT_BOUND: "at a bound (the record does not determine every parameter; what it says "
    "of each is its interval, by profile likelihood)",
    FitStatus.NOT_CONVERGED: "not converged (not an estimate to report; try more starts)",
    FitStatus.DEGENERATE_RECORD: "degenerate record (it says too little to identify the parameters)",
}

_POSTERIOR_IN_WORDS = {
    "converged": "converged (report median and interval of each parameter)",
    "rough": "rough (report medians; the ends of intervals are less sure: draw more for these)",
    "not_converged": "not converged (nothing to report; draw more, with more chains or more tuning)",
}


def summary_table(fit: Fit, intervals: Intervals) -> str:
    """Lay out estimates, standard errors and intervals, then status and remarks.

    Parameters
    ----------
    fit : Fit
    intervals : Intervals
        Of the same fit.

    Returns
    -------
    str
        Lines of at most 88 characters, the last one without a newline.
    """
    level = f"{100 * intervals.confidence_level:g} % interval"
    rows = [("parameter", "unit", "estimate", "std. error", level, "")]
    columns = (intervals.standard_error, intervals.lower, intervals.upper)
    for k, parameter in enumerate(fit.space.parameters):
        if intervals.kind[k] == IntervalKind.ABSENT:
            continue
        error, lower, upper = (column[k] for column in columns)
        free, kind = fit.space.is_free[k], intervals.kind[k]
        rows.append(
            (
                parameter.name,
                "" if parameter.unit == "1" else parameter.unit,
                f"{fit.estimate[k]:.4g}",
                f"{error:.2g}" if free and kind == IntervalKind.WALD else "",
                "none"
                if kind == IntervalKind.NONE
                else f"{lower:.4g} to {upper:.4g}"
                if free
                else "",
                "at a bound" if fit.at_bound[k] else "" if free else "held fixed",
            )
        )
    lines = _laid_out(rows)
    converged = sum(result.converged for result in fit.starts)
    starts = f"{converged} of {len(fit.starts)} start{'s' if len(fit.starts) > 1 else ''} converged"
    starts += f", {fit.n_agreeing} within {AGREE} nats of the highest"
    lines += ["", f"log-likelihood {fit.log_likelihood:.4f} nats", starts]
    tied = [name for name in fit.space.names if " = " in name]
    said = [f"status: {_IN_WORDS[fit.status]}", *(f"tied: {name}" for name in tied), *fit.remarks]
    if IntervalKind.PROFILE in intervals.kind:
        said.append(_BY_PROFILE)
    said += intervals.remarks
    return "\n".join(lines + _wrapped(said))


def posterior_table(posterior: Posterior) -> str:
    """Lay out median, interval, mode and effective sample, then status and remarks.

    Parameters
    ----------
    posterior : Posterior

    Returns
    -------
    str
        Lines of at most 88 characters, the last one without a newline.
    """
    space, found = posterior.density.space, posterior.diagnostics
    level = posterior.settings.interval_level
    drawn = len(posterior.draws) > 0
    lower, median, upper = posterior.interval()
    rows = [("parameter", "unit", "median", f"{100 * level:g} % interval", "mode", "draws worth")]
    for k, parameter in enumerate(space.parameters):
        if not space.exists[k]:
            continue
        free = space.is_free[k]
        rows.append(
            (
                parameter.name,
                "" if parameter.unit == "1" else parameter.unit,
                f"{median[k]:.4g}",
                f"{lower[k]:.4g} to {upper[k]:.4g}" if free else "held fixed",
                f"{posterior.mode.estimate[k]:.4g}",
                f"{min(found.ess_bulk[k], found.ess_tail[k]):.0f}" if free else "",
            )
        )
    lines = _laid_out(rows)
    if found.bfmi.size:
        chains, draws = posterior.parameters.shape[:2]
        lines += [
            "",
            f"{draws} draws of {chains} chains, R-hat at most {np.nanmax(found.r_hat):.3f}",
        ]
    elif drawn:
        lines += ["", f"importance sampling, k-hat {posterior.importance.k_hat:.2f}"]
    weighed = posterior.importance
    if weighed is not None:
        lines.append(
            f"log evidence {weighed.log_evidence:.2f} nats, standard error "
            f"{weighed.log_evidence_error:.2g}"
        )
    said = [f"status: {_POSTERIOR_IN_WORDS[posterior.status]}", *posterior.remarks]
    return "\n".join(lines + _wrapped(said))


def _laid_out(rows: list[tuple[str, ...]]) -> list[str]:
    """Six columns, the head underlined; numbers to the right, words to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = (False, False, True, True, True, False)
    lines = [
        "  ".join(
            cell.rjust(width) if to_the_right else cell.ljust(width)
            for cell, width, to_the_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    return lines


def _wrapped(said: list[str]) -> list[str]:
    return [line for words in said for line in wrap(words, _WIDTH, subsequent_indent="  ")]
