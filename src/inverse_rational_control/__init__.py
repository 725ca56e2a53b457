"""Inverse Rational Control: infer what a forager believes, wants and pays from what it does.

    import inverse_rational_control as irc

    record = irc.simulate(irc.Agent(), irc.World(), n_steps=2000, seed=1)
    fit = irc.fit(record)
    print(fit.summary())
    beliefs = irc.decode(record, fit)

    posterior = irc.posterior(record, fit)
    print(posterior.summary())
    beliefs = irc.decode(record, posterior)

Agent, World    an agent's ten parameters, the world's six; those of the paper if not given. An agent
                may have a lapse, perseveration, and a diffusion and discount of its own besides
Task            what is fixed about both: bins, cues, discount, which actions may be taken
Record          what happened, step by step
read_record     read and check an animal's record; Layout says what its files call things
read_events     make steps of events in seconds
write_record    write a record as a file that read_record reads
simulate        one session of an agent in a world
fit             infer an agent's parameters from its record
compare_descriptions
                which parameters describe a record best, extra ones among them, by held-out steps
posterior       draw from the posterior of the parameters: medians, intervals, draws to go on with
decode          an agent's beliefs at every step of a record
resimulate      an agent simulated many times in the sessions of a record

Two actors are kept apart: the `World`, whose parameters the experimenter knows, and the `Agent`, whose
parameters are inferred. A `Task` says what is fixed about both, a `Record` holds what happened.
"""

import os
import sys
from importlib import import_module

from inverse_rational_control import interruption

# Read by the HDF5 library when it is loaded. Some shared disks have no locks, and none are needed: a
# file is complete before it has its name.
os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
# What follows takes a rule's script seconds to import.
if hasattr(getattr(sys.modules.get("__main__"), "snakemake", None), "params"):
    interruption.end_in_one_line()

__version__ = "0.1.0"

#: Where each public name lives; it is imported when it is first used, so that importing is cheap.
_HOMES = {
    "Agent": "front_door.actors",
    "EventSteps": "front_door.records",
    "Layout": "recordings.layout",
    "Record": "record",
    "Task": "task",
    "World": "front_door.actors",
    "compare_descriptions": "front_door.comparing",
    "decode": "front_door.going_on",
    "fit": "front_door.inferring",
    "posterior": "front_door.inferring",
    "read_events": "front_door.records",
    "read_record": "front_door.records",
    "resimulate": "front_door.going_on",
    "simulate": "front_door.records",
    "write_record": "front_door.records",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str):
    """A public name, imported now."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names, for completion."""
    return [*__all__, "__version__"]
