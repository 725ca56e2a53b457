"""The searches of a fit: from one start after another until they agree, then challenged.

Source: docs/model.md section 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.inference.agreement import Agreement, agreement, challengers, highest
from inverse_rational_control.inference.information import Curvature, regularized_inverse_root
from inverse_rational_control.inference.jumping import beyond_jumps, broken_by_jumps, run_from
from inverse_rational_control.inference.objective import Objective
from inverse_rational_control.inference.search import Search
from inverse_rational_control.inference.start import (
    AGREE,
    Start,
    StartResult,
    whitening_of_length,
)

__all__ = ["Searches"]

_SAME = 1e-3  # nats within which an end that converged is as high as one that did not


class Searches:
    """Searches of one objective that know of each other.

    Parameters
    ----------
    objective, settings, whitening
        As for `inference.fit.fit`.

    Attributes
    ----------
    results : list of StartResult
        Of all starts, in order.
    curvatures : list of Curvature
        Information matrices that they found on their way.
    """

    def __init__(
        self, objective: Objective, settings: FitSettings, whitening: np.ndarray | None = None
    ):
        self.objective, self.settings = objective, settings
        self.results: list[StartResult] = []
        self.curvatures: list[Curvature] = []
        self._whitening = whitening_of_length(objective, whitening)
        # Own climbs, by index, of starts that have not made them.
        self._climbs: dict[int, Callable | None] = {}
        self._broken = False  # jumps keep the searches from any maximum

    @property
    def top(self) -> int:
        """Index of the highest end; of those that are as high to within rounding, one that converged."""
        first = highest(self.results)
        least = self.results[first].log_likelihood - _SAME
        level = [k for k, result in enumerate(self.results) if result.log_likelihood >= least]
        converged = [k for k in level if self.results[k].converged]
        return max(converged, key=lambda k: self.results[k].log_likelihood, default=first)

    def run(self, start: Start | np.ndarray) -> None:
        """Search from one more start, natural coordinates; it is moved into the space."""
        start = start if isinstance(start, Start) else Start(start)
        settled = (result.log_likelihood for result in self.results if result.settled)
        known = max(settled, default=-np.inf)
        whitening = self._whitening
        if start.challenger:
            information = self.results[self.top].information
            whitening = self.objective.space.directions @ regularized_inverse_root(information)
        search = Search(self.objective, whitening, self.curvatures)
        climbs = self._broken or start.jumps_expected
        result, climbed = run_from(search, start, self.settings, known, climbs)
        if self._broken and not climbed:
            result = self._led_on(result, known, None)
        if not climbed:
            self._climbs[len(self.results)] = start.beyond_jumps
        self.results.append(result)

    def _led_on(self, result, known, climb):
        return beyond_jumps(self.objective, self.settings, result, self._whitening, known, climb)

    def until_agreed(self, reserve: Iterable[Start | np.ndarray], challenge: bool) -> Agreement:
        """Search from starts in reserve until enough agree on a top that was challenged.

        Once two agree, the top is challenged (see `inference.agreement.challengers`), and again if it
        rises. Where jumps of the likelihood keep the searches from any maximum, each is led on (see
        `inference.jumping`).

        Parameters
        ----------
        reserve : iterable of Start, or of ndarray, shape (n,)
        challenge : bool
        """
        waiting, challenged = iter(reserve), -np.inf if challenge else np.inf
        while True:
            self._lead_on_if_broken()
            agreed = agreement(self.results)
            found = agreed.n_agreeing > 1 or challenged > -np.inf
            if found and agreed.log_likelihood > challenged + AGREE:
                challenged = agreed.log_likelihood
                top = self.results[self.top]
                for start in challengers(top, self.results, self.objective.space):
                    self.run(start)
                continue
            start = None if agreed.enough else next(waiting, None)
            if start is None:
                return agreed
            self.run(start)

    def _lead_on_if_broken(self):
        if self._broken or self.settings.method != "quasi_newton":
            return
        if not broken_by_jumps(self.results) or self.objective.degeneracies():
            return
        self._broken, known = True, self.results[self.top].log_likelihood
        for k, climb in self._climbs.items():
            self.results[k] = self._led_on(self.results[k], known, climb)

    def beside_jumps(self, agreed: Agreement) -> Agreement:
        """If the best start met a jump, search from either side of it; what agrees then."""
        # Jumps on the path of a start that ended lower than another say nothing of the estimate.
        sides = self.results[self.top].jump_sides
        for side in sides if sides is not None and not self._broken else ():
            self.run(side)
        if self.results[self.top].log_likelihood > agreed.log_likelihood + AGREE:
            return replace(agreed, n_agreeing=1)
        return agreed
