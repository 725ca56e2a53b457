"""The whole configuration: its sections, the rules between them, and the verdict on a given one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import model_validator

from inverse_rational_control.alternative_models import model_spaces
from inverse_rational_control.config.alternatives import AlternativesSection
from inverse_rational_control.config.animal_spaces import alternative_entries, judge_animal_space
from inverse_rational_control.config.animals import Animals
from inverse_rational_control.config.calibration import CalibrationSection
from inverse_rational_control.config.check import CheckSection
from inverse_rational_control.config.command_line import judge_shape, with_values
from inverse_rational_control.config.descriptions import DescriptionsSection
from inverse_rational_control.config.errors import ConfigError, dotted
from inverse_rational_control.config.fields import whole
from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.config.foraging import AgentSection, TaskSection, WorldSection
from inverse_rational_control.config.identifiability import IdentifiabilitySection
from inverse_rational_control.config.loading import merged
from inverse_rational_control.config.optimization import OptimizationSection
from inverse_rational_control.config.paper import (
    FiguresSection,
    PaperSection,
    ResimulationSection,
    SurfaceSection,
)
from inverse_rational_control.config.per_second import in_steps, own_task
from inverse_rational_control.config.places import Folder
from inverse_rational_control.config.population import PopulationSection
from inverse_rational_control.config.posterior import PRIOR, PosteriorSettings, PriorIntervals
from inverse_rational_control.config.recovery import RecoverySection
from inverse_rational_control.config.section import Section, judged, key
from inverse_rational_control.config.sensitivity import SensitivitySection
from inverse_rational_control.config.sizes import judge_sizes, remarks_on_values
from inverse_rational_control.parameters import (
    agent_extras,
    agent_vector,
    check_ranges,
    remarks,
    world_vector,
)

__all__ = ["Configuration", "validate_config"]

#: Studies of the simulated agent whose models have the ten parameters alone.
_OF_TEN = ("optimization", "alternatives", "sensitivity")
Seed = whole(ge=0, le=2**53 - 1)


class Configuration(Section):
    """Every key of the configuration; `Configuration()` is the paper's run."""

    results_directory: Folder = key(
        "results",
        "folder that receives everything the run writes, relative to the working directory",
    )
    root_seed: Seed = key(2019, "the one seed from which all random streams descend")
    task: TaskSection = key(TaskSection(), "what is fixed about the task and its discretization")
    world: WorldSection = key(WorldSection(), "the true task dynamics, known to the experimenter")
    agent: AgentSection = key(
        AgentSection(), "the simulated agent whose parameters are to be inferred"
    )
    paper: PaperSection = key(PaperSection(), "the paper's single example (Figures 1 to 5)")
    recovery: RecoverySection = key(
        RecoverySection(), "many records of that agent, fitted at several lengths (Figure 6)"
    )
    population: PopulationSection = key(
        PopulationSection(),
        "many agents, drawn over stated ranges: recovery, coverage, fixed points of their plans "
        "(Figure 7)",
    )
    optimization: OptimizationSection = key(
        OptimizationSection(),
        "finding the maximum: EM, SQUAREM and quasi-Newton, from many starts (Figure 8)",
    )
    identifiability: IdentifiabilitySection = key(
        IdentifiabilitySection(),
        "what the data cannot tell: information, weakest directions, profile likelihoods (Figure 9)",
    )
    alternatives: AlternativesSection = key(
        AlternativesSection(),
        "reduced models, a memoryless baseline and brute-force search beside the full model "
        "(Figure 10)",
    )
    sensitivity: SensitivitySection = key(
        SensitivitySection(),
        "what the number of bins, the diffusion and the discount change (Figure 11)",
    )
    calibration: CalibrationSection = key(
        CalibrationSection(),
        "agents drawn from the prior: ranks of the truth among posterior draws, coverage, contraction "
        "(Figure 12)",
    )
    fitting: FitSettings = key(FitSettings(), "how parameters are estimated")
    prior: PriorIntervals = key(
        PRIOR,
        "what is thought of the parameters before a record is seen: independent normals in "
        "unconstrained coordinates, each stated by its central 95 % interval in natural units, or flat",
    )
    posterior: PosteriorSettings = key(
        PosteriorSettings(), "whose posteriors are drawn from, and how"
    )
    surface: SurfaceSection = key(SurfaceSection(), "the log-likelihood surface of Figure 3A")
    resimulation: ResimulationSection = key(
        ResimulationSection(), "agents simulated with the inferred parameters (Figure 5)"
    )
    figures: FiguresSection = key(FiguresSection(), "what the figures show")
    check: CheckSection = key(CheckSection(), "bounds that the finished results are judged against")
    descriptions: DescriptionsSection = key(
        DescriptionsSection(), "which parameters describe one's own animals, by steps held out"
    )
    animals: Animals = key(
        {},
        "records of one's own to fit like the paper's agent, each a file or a section with the keys "
        "below; {} for none",
    )

    @model_validator(mode="after")
    def _judge_between_sections(self):
        try:
            world, agent = dict(self.world), dict(self.agent)
            model_spaces(self.alternatives.models, world, agent)
        except ValueError as error:
            raise ConfigError(f"alternatives.models.{error}") from None
        extras = agent_extras(agent)
        try:
            check_ranges(agent_vector(agent), extras, self.task.n_bins)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        for name in _OF_TEN if extras else ():
            if getattr(self, name).enabled:
                raise ConfigError(
                    f"agent.{extras[0]}: found {agent[extras[0]]}, allowed: null where {name}.enabled "
                    "is true, whose models have the ten parameters"
                )
        for name, animal in self.animals.items():
            try:
                self._judge_animal(animal)
            except ValueError as error:
                raise ConfigError(f"{dotted('animals', name)}.{error}") from None
        figures, n_steps = self.figures, self.paper.n_steps
        end = figures.example_start + figures.example_steps
        if end > n_steps:
            raise ConfigError(
                f"figures.example_start: found {figures.example_start}, which with "
                f"figures.example_steps {figures.example_steps} ends at step {end}, allowed: an end "
                f"<= paper.n_steps {n_steps}"
            )
        return self

    def _judge_animal(self, entry: str | Mapping[str, Any]) -> None:
        """An entry with what it shares with all: its task, parameters, alternative models."""
        if isinstance(entry, str):
            judge_animal_space(entry, {}, self.fitting.extras, self.task.n_bins)
            return
        try:
            task = TaskSection(**own_task(entry, dict(self.task)))
        except ConfigError as error:
            raise ConfigError(
                f"task.{str(error).removeprefix('TaskSection.').removeprefix('task.')}"
            ) from None
        world, models = dict(self.world), self.alternatives.models
        judge_animal_space(entry, world, self.fitting.extras, task.n_bins)
        alternatives = entry.get("alternatives", ())
        known = [each for each in models if not models[each].get("from_agent")]
        for name in alternatives:
            if not isinstance(alternatives, Mapping) and name not in known:
                raise ConfigError(
                    f"alternatives: found {name}, allowed: any of {', '.join(known)}, the models of "
                    "alternatives.models that need no simulated agent"
                )
        for name, alternative in alternative_entries(entry, models).items():
            try:
                judge_animal_space(alternative, world, (), task.n_bins)
            except ValueError as error:
                raise ConfigError(f"alternatives.{name}.{error}") from None


def validate_config(
    config: Mapping[str, Any], command_line: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Judge a complete configuration before any job starts.

    Parameters
    ----------
    config : mapping
        The merged configuration: every key of config/config.yaml is required.
    command_line : mapping, optional
        What of it Snakemake's `--config` gave: its text is read as YAML where a key's value is no text.

    Returns
    -------
    config : dict
        A copy in plain types: whole numbers given for real ones are floats; recovery lengths
        ascend; what is stated per second is turned into what it is per step.
    warnings : list of str
        One line for each thing that is allowed but unusual, saying what it means.

    Raises
    ------
    ConfigError
        On the first mistake; one line with the dotted key, the value found and what is allowed, and
        for an unknown key the nearest known one.
    """
    judge_shape(config)
    if command_line:
        config = merged(config, with_values(command_line, Configuration))
        judge_shape(config)
    checked = in_steps(judged(Configuration, config).model_dump(mode="json"))
    vectors = {"world": world_vector(checked["world"]), "agent": agent_vector(checked["agent"])}
    warnings = [f"{actor}: {said}" for actor, theta in vectors.items() for said in remarks(theta)]
    return checked, [*warnings, *remarks_on_values(checked), *judge_sizes(checked)]
