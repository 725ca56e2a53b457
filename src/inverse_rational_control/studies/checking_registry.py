"""Criteria that finished results must meet; each with the number found, the bound and the figure.

Every further experiment has a module here with one function (summary, bounds) -> list of Criterion;
bounds are the `check` part of the experiment's own section of the configuration.
"""

from inverse_rational_control.studies.alternatives.criteria import alternatives_criteria
from inverse_rational_control.studies.criterion import Criterion
from inverse_rational_control.studies.identifiability.criteria import identifiability_criteria
from inverse_rational_control.studies.optimization.criteria import optimization_criteria
from inverse_rational_control.studies.paper.criteria import paper_criteria
from inverse_rational_control.studies.population.criteria import population_criteria
from inverse_rational_control.studies.recovery.criteria import recovery_criteria
from inverse_rational_control.studies.sensitivity.criteria import sensitivity_criteria

__all__ = ["EXPERIMENT_CRITERIA", "Criterion", "paper_criteria", "recovery_criteria"]

#: Experiments beyond the paper's, by the name of their section in the configuration.
EXPERIMENT_CRITERIA = {
    "identifiability": identifiability_criteria,
    "optimization": optimization_criteria,
    "sensitivity": sensitivity_criteria,
    "population": population_criteria,
    "alternatives": alternatives_criteria,
}
