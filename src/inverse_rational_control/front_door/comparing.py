"""From a record to what describes it: the paper's model, extra parameters, or no beliefs at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inverse_rational_control.config.alternatives import AlternativesSection
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging import descriptions as descriptions_of
from inverse_rational_control.foraging.comparison import DESCRIPTIONS, Comparison
from inverse_rational_control.front_door.arguments import judge
from inverse_rational_control.front_door.one_thread import on_one_thread
from inverse_rational_control.random_streams import stream
from inverse_rational_control.record import Record
from inverse_rational_control.studies.alternatives.baselines import baselines
from inverse_rational_control.task import Task

__all__ = ["compare_descriptions"]


@on_one_thread
def compare_descriptions(
    record: Record,
    task: Task | None = None,
    descriptions: Mapping[str, Sequence[str]] | None = None,
    n_parts: int = 5,
    n_starts: int = 2,
    seed: int = 0,
    fixed: Mapping[str, float] | None = None,
    tied: Sequence[Sequence[str]] = (),
    settings: FitSettings | None = None,
    bounded: Mapping[str, Sequence[float]] | None = None,
) -> Comparison:
    """Say which parameters describe a record, by steps held out (docs/model.md section 13).

    Parameters
    ----------
    record : Record
    task : Task, optional
        The paper's if not given.
    descriptions : mapping of str to sequence of str, optional
        Extra parameters by name, beside the paper's model and the memoryless baseline; if not given,
        each of lapse, perseveration, diffusion and discount, and all of them.
    n_parts : int
        Parts that are held out in turn: whole sessions if there are enough, else blocks of steps.
    n_starts : int
        Optimizer starts of each fit.
    seed : int
        Of the drawn starts.
    fixed, tied, bounded : optional
        As for `fit`, in every description that has these parameters.
    settings : FitSettings, optional
        Tolerances and start ranges; if not given, those of Figure 10's fits.

    Returns
    -------
    Comparison
        `.said()` for people; `.best`, `.mean`, `.difference(one, other)`, `.told_apart(one, other)`,
        `.step_log_likelihood` for programs.

    Raises
    ------
    RecordError, ValueError
        As `fit`.

    Examples
    --------
    >>> task = Task(n_bins=3, n_cues=3)
    >>> record = simulate(Agent(perseveration=-2.0), World(), n_steps=600, task=task, seed=1)
    >>> found = compare_descriptions(record, task, {"habit": ["perseveration"]}, n_parts=2, n_starts=1)
    >>> found.names, found.best
    (('paper', 'habit', 'memoryless'), 'habit')
    """
    judge(locals(), FitSettings)
    task, alternatives = task or Task(), AlternativesSection()
    if settings is None:
        settings = FitSettings(max_evaluations=alternatives.max_evaluations)
    wanted = DESCRIPTIONS if descriptions is None else descriptions
    return descriptions_of.compare_descriptions(
        record,
        task,
        settings,
        lambda number: stream(seed, "front door", "description", number),
        baselines(task, alternatives.model_dump()),
        wanted,
        n_parts,
        n_starts,
        fixed,
        tied,
        bounded,
    )
