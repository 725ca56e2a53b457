"""Agreement with an independent implementation: every array of every reference file.

Tolerance of docs/model.md section 9: max|x - ref| <= 1e-8 max|ref| per array; value, value_optimal and
q_value 1e-7 absolute.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from inverse_rational_control.agent.beliefs import bin_centers
from inverse_rational_control.agent.model import agent_model
from inverse_rational_control.chain.forward_backward import expected_counts
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables, evaluate
from inverse_rational_control.record import Record
from inverse_rational_control.task import Task

FOLDER = Path(__file__).parent
CASES = ("paper_n10", "paper_n5", "one_box_n10", "bistable_n10", "paper_n10_presence")
#: What a file gives rather than what is computed from it.
GIVEN = {
    *("theta", "n_bins", "n_colors", "discount", "diffusion", "grooming"),
    *("location", "action", "reward", "color_1", "color_2", "belief_1", "belief_2"),
}
COMPUTED = (
    *(f"{name}_{box}" for name in ("belief_kernel", "reset_kernel") for box in (1, 2)),
    *(f"{name}_{box}" for name in ("cue_probability", "planner_transition") for box in (1, 2)),
    *("planner_reset_1", "planner_reset_2", "value", "value_optimal", "q_value", "policy"),
    *("log_likelihood", "gradient", "posterior_mean_1", "posterior_mean_2", "posterior_last"),
    *("policy_counts", "kernel_counts_1", "kernel_counts_2", "reset_counts_1", "reset_counts_2"),
)
ABSOLUTE = {"value": 1e-7, "value_optimal": 1e-7, "q_value": 1e-7}


@cache
def _reference(case):
    with np.load(FOLDER / f"{case}.npz", allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


@cache
def _computed(case):
    reference = _reference(case)
    task = Task(
        n_bins=int(reference["n_bins"]),
        n_cues=int(reference["n_colors"]),
        diffusion=float(reference["diffusion"]),
        discount=float(reference["discount"]),
        grooming=str(reference["grooming"]),
    )
    record = Record(
        session=np.zeros(reference["action"].size, dtype=np.int64),
        location=reference["location"],
        action=reference["action"],
        reward=reference["reward"],
        cue=np.stack([reference["color_1"], reference["color_2"]], 1),
        belief_bin=np.stack([reference["belief_1"], reference["belief_2"]], 1),
    )
    record.check(task, case)
    model = agent_model(reference["theta"], task)
    assert model.plan.converged
    inputs = chain_inputs(record)
    posterior = np.empty((record.n_steps, task.n_bins, task.n_bins))
    counts = expected_counts(chain_tables(model), inputs, posterior)
    evaluation = evaluate(reference["theta"], inputs, task)
    centers = bin_centers(task.n_bins)
    found = {
        "value": model.plan.value,
        "value_optimal": model.optimal_plan().value,
        "q_value": model.plan.q_value,
        "policy": model.plan.policy,
        "log_likelihood": np.array(evaluation.log_likelihood),
        "gradient": evaluation.gradient,
        "posterior_mean_1": posterior.sum(2) @ centers,
        "posterior_mean_2": posterior.sum(1) @ centers,
        "posterior_last": posterior[-1],
        "policy_counts": counts.emissions.reshape(model.plan.policy.shape),
    }
    ratios = ((counts.ratio_1, counts.reset_ratio_1), (counts.ratio_2, counts.reset_ratio_2))
    for number, (box, (ratio, reset_ratio)) in enumerate(
        zip(model.boxes, ratios, strict=True), start=1
    ):
        found[f"belief_kernel_{number}"] = box.kernel
        found[f"reset_kernel_{number}"] = box.reset_kernel
        found[f"cue_probability_{number}"] = box.cue_probability
        found[f"planner_transition_{number}"] = box.planner_transition
        found[f"planner_reset_{number}"] = box.planner_reset
        found[f"kernel_counts_{number}"] = ratio * box.kernel
        found[f"reset_counts_{number}"] = reset_ratio * box.reset_kernel
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_array_of_the_file_is_compared(case):
    assert set(_reference(case)) == GIVEN | set(COMPUTED)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", COMPUTED)
def test_agrees_with_the_reference(case, name):
    reference, found = _reference(case)[name], _computed(case)[name]
    assert found.shape == reference.shape
    tolerance = ABSOLUTE.get(name, 1e-8 * np.abs(reference).max())
    assert np.abs(found - reference).max() <= tolerance
