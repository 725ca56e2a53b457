"""Criteria that finished results must meet; each with the number found, the bound and the figure.

Every further experiment has a module here with one function (summary, bounds) -> list of Criterion;
bounds are the `check` part of the experiment's own section of the configuration.
"""

from irc.checking.criterion import Criterion
from irc.checking.identifiability import identifiability_criteria
from irc.checking.optimization import optimization_criteria
from irc.checking.paper import paper_criteria
from irc.checking.population import population_criteria
from irc.checking.recovery import recovery_criteria
from irc.checking.rivals import rivals_criteria
from irc.checking.sensitivity import sensitivity_criteria

__all__ = ["EXPERIMENT_CRITERIA", "Criterion", "paper_criteria", "recovery_criteria"]

#: Experiments beyond the paper's, by the name of their section in the configuration.
EXPERIMENT_CRITERIA = {
    "identifiability": identifiability_criteria,
    "optimization": optimization_criteria,
    "sensitivity": sensitivity_criteria,
    "population": population_criteria,
    "rivals": rivals_criteria,
}
