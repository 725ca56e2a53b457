"""What a configuration states per second, as what it is per step (docs/model.md section 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inverse_rational_control import seconds
from inverse_rational_control.config.animals import EventRules
from inverse_rational_control.config.errors import ConfigError

__all__ = ["in_steps", "own_task", "rates_in_steps"]

RATES = ("appearance_rate_1", "appearance_rate_2", "disappearance_rate_1", "disappearance_rate_2")


_NO_SECONDS = {"horizon": None, "diffusion_per_second": None, "rates_per_second": False}


def in_steps(config: Mapping[str, Any]) -> dict[str, Any]:
    """A checked configuration with horizon, diffusion and rates per step; the same if all are.

    The keys for what is stated per second are null or false in the result, those of animals too, whose
    steps may have widths of their own.
    """
    animals = {name: _animal_in_steps(entry, config) for name, entry in config["animals"].items()}
    rest = {name: section for name, section in config.items() if name != "animals"}
    task = config["task"]
    if task["step_width"] is not None:
        if task["rates_per_second"]:
            rest = rates_in_steps(rest, task["step_width"])
        rest["task"] = _task_in_steps(task)
    return {**rest, "animals": animals}


def own_task(entry: Mapping[str, Any], task: Mapping[str, Any]) -> dict[str, Any]:
    """The section `task` as it holds for an animal, still per second; steps made of events are as wide.

    Raises
    ------
    ConfigError
        If the task's step width is another than that of the events.
    """
    own = dict(entry.get("task", {}))
    if "events" in entry:
        width = EventRules(**entry["events"]).step_width
        if own.setdefault("step_width", width) != width:
            raise ConfigError(
                f"task.step_width: found {own['step_width']:g}, allowed: that of events, {width:g}"
            )
    merged = {**task, **own}
    for name, in_seconds in (("discount", "horizon"), ("diffusion", "diffusion_per_second")):
        if name in own and in_seconds not in own:
            merged[in_seconds] = None
    return merged


def _task_in_steps(task: Mapping[str, Any]) -> dict[str, Any]:
    task, width = dict(task), task["step_width"]
    if task["horizon"] is not None:
        task["discount"] = seconds.discount_per_step(task["horizon"], width)
    if task["diffusion_per_second"] is not None:
        task["diffusion"] = seconds.diffusion_per_step(task["diffusion_per_second"], width)
    return task | _NO_SECONDS


def _animal_in_steps(entry: str | Mapping[str, Any], config: Mapping[str, Any]) -> Any:
    """An entry per step, with all of the task, and the shared rates at the width of its steps."""
    if isinstance(entry, str):
        return entry
    shared = config["task"]
    task = own_task(entry, shared)
    width = task["step_width"]
    if width is None:
        return dict(entry)
    result = dict(entry)
    if task != shared:
        result["task"] = _task_in_steps(task)
    shared_sections = {
        "world": config["world"],
        "prior": config["prior"],
        "start_ranges": config["fitting"]["start_ranges"],
    }
    if shared["rates_per_second"] and width != shared["step_width"]:
        rates = {
            name: rates_in_steps({rate: section[rate] for rate in RATES}, width)
            for name, section in shared_sections.items()
        }
    else:
        rates = {}
    if task["rates_per_second"] and isinstance(entry.get("alternatives"), Mapping):
        result["alternatives"] = rates_in_steps(entry["alternatives"], width)
    for name in (*shared_sections, "held", "bounded"):
        own = entry.get(name, {})
        own = rates_in_steps(own, width) if task["rates_per_second"] else own
        if own or name in rates:
            result[name] = {**rates.get(name, {}), **own}
    return result


def rates_in_steps(section: Mapping[str, Any], step_width: float) -> dict[str, Any]:
    """Turn every rate in a section, at any depth, a number or a range, into one per step."""

    def turned(name: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return rates_in_steps(value, step_width)
        if name in RATES and isinstance(value, int | float):
            return float(seconds.rate_per_step(value, step_width))
        if name in RATES and isinstance(value, list | tuple):
            return [turned(name, end) for end in value]
        return value

    return {name: turned(name, value) for name, value in section.items()}
