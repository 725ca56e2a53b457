"""The measurements, each a function that returns rows of the table and points of the figure.

Everything but the workflow runs on one core. Only the project's public functions are called.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import cases, growth
from benchmarks.findings import QUICK, Findings, Sizes
from benchmarks.machine import linear_algebra
from benchmarks.measure import (
    Measurement,
    Target,
    exponent,
    median_seconds,
    run_measured,
    seconds,
    settled_seconds,
    side_by_side,
)
from benchmarks.peers import Peer, save_case
from inverse_rational_control.agent.beliefs import box_beliefs
from inverse_rational_control.agent.gradient import planner_gradient
from inverse_rational_control.agent.model import AgentModel, agent_model
from inverse_rational_control.agent.planner import softmax_plan
from inverse_rational_control.chain import ChainInputs, ChainTables, expected_counts
from inverse_rational_control.chain.layout import computed_width
from inverse_rational_control.foraging.likelihood import chain_inputs, chain_tables
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import choose_start, generic_whitening
from inverse_rational_control.inference.fit import fit as maximize
from inverse_rational_control.parameters import BOX_PARAMETERS
from inverse_rational_control.random_streams import stream

__all__ = [
    "E_STEP_TARGET",
    "FIXED",
    "HALF_A_BIN",
    "PLANNER_TARGETS",
    "QUICK",
    "STUDIES",
    "Findings",
    "Sizes",
    "multiply_adds",
]

#: The two kinds of diffusion, as table and figure call them: so many bins wide, or so much belief.
HALF_A_BIN = "diffusion of half a bin"
FIXED = f"diffusion of {cases.FIXED_DIFFUSION}"
#: Seconds of the planner's solve and adjoint by number of bins.
PLANNER_TARGETS = {10: 2e-3, 40: 150e-3}

#: Times the ideal that an E-step may take at the default number of bins.
E_STEP_TARGET = 2.0

_GIBIBYTE = 1 << 30


def multiply_adds(n_steps: int, n_bins: int) -> float:
    """Multiply-adds of one E-step with all expected counts (docs/model.md section 6)."""
    return 7.0 * n_bins**3 * n_steps


def _round(number: int) -> str:
    """A number in digits, in groups of three."""
    return f"{number:,}".replace(",", " ")


def _default_chain(
    n_steps: int, n_bins: int, diffusion: float | None = None
) -> tuple[ChainTables, ChainInputs]:
    model = agent_model(cases.agent_theta(), cases.task(n_bins, diffusion))
    return chain_tables(model), chain_inputs(cases.record(n_steps, n_bins))


def e_step(sizes: Sizes, found: Findings, folder: Path) -> None:
    """E-step against its own arithmetic at the best rate of a matrix product.

    Products of several sizes and E-steps of several numbers of bins take turns. The fastest of each is
    compared: what was least disturbed, and a limit that nothing measured here has been above.
    """
    matrices = {size: stream(0, "matrices", size).random((2, size, size)) for size in sizes.squares}
    outputs = {size: np.empty((size, size)) for size in sizes.squares}
    products = [
        lambda size=size: np.matmul(*matrices[size], out=outputs[size]) for size in sizes.squares
    ]
    chains = [_default_chain(sizes.n_steps, n) for n in sizes.e_step_bins]
    smoothing = [lambda chain=chain: expected_counts(*chain) for chain in chains]
    # As in a fit, where one E-step follows another.
    taken = np.array(
        [
            [settled_seconds(each) for each in (*products, *smoothing)]
            for _ in range(sizes.repetitions)
        ]
    )
    fastest, middle = taken.min(axis=0), np.median(taken, axis=0)
    rates = np.array([size**3 for size in sizes.squares]) / fastest[: len(products)]
    found.multiply_adds_per_second = float(rates.max())
    for n, least, usual in zip(
        sizes.e_step_bins, fastest[len(products) :], middle[len(products) :], strict=True
    ):
        case = f"T = {sizes.n_steps}, N = {n}"
        ideal = multiply_adds(sizes.n_steps, n) / found.multiply_adds_per_second
        found.rows += [
            Measurement(
                f"E-step with all expected counts, {case}",
                least / ideal,
                "times its 7 N³ T multiply-adds at the best rate of a matrix product",
                Target("at most", E_STEP_TARGET if n <= 10 else 1.5),
                f"fastest of {sizes.repetitions}, products and E-steps in turn; {n} columns are "
                f"computed as {computed_width(n)}, {computed_width(n) / n:.2f} times the work",
            ),
            Measurement(f"E-step, {case}", float(usual) * 1e3, "ms"),
        ]
    best = int(rates.argmax())
    found.rows.append(
        Measurement(
            "best matrix product, double precision",
            found.multiply_adds_per_second / 1e9,
            "10⁹ multiply-adds per second",
            note="; ".join(
                f"{size} x {size}: {rate / 1e9:.1f}{' (best)' if k == best else ''}"
                for k, (size, rate) in enumerate(zip(sizes.squares, rates, strict=True))
            )
            + f"; {linear_algebra()}",
        )
    )


def _solve_and_adjoint(model: AgentModel, inputs: ChainInputs):
    """The planner's part of one evaluation of likelihood and gradient, as a function."""
    counts = expected_counts(chain_tables(model), inputs).emissions
    counts = counts.reshape(model.plan.log_policy.shape)
    problem = model.problem
    return lambda: planner_gradient(problem, softmax_plan(problem), counts)


def _belief_tables(model: AgentModel):
    boxes = [model.theta[list(places)] for places in BOX_PARAMETERS]
    return lambda: [box_beliefs(*box, model.task) for box in boxes]


def planner(sizes: Sizes, found: Findings, folder: Path) -> None:
    """Planner's solve and adjoint over random agents, and the belief tables."""
    task = cases.task(sizes.n_bins)
    inputs = chain_inputs(cases.record(min(500, sizes.n_steps), sizes.n_bins))
    agents = cases.random_agents(sizes.n_agents)
    models = [agent_model(theta, task) for theta in agents]
    solved = np.array(
        [
            median_seconds([_solve_and_adjoint(model, inputs), _belief_tables(model)], 3)
            for model in models
            if model.plan.converged
        ]
    )
    note = f"{len(solved)} of {len(agents)} random agents solved"
    case = f"N = {sizes.n_bins}"
    found.rows += [
        Measurement(
            f"planner's solve and adjoint, {case}, median",
            float(np.median(solved[:, 0])) * 1e3,
            "ms",
            Target("at most", PLANNER_TARGETS[10] * 1e3),
            note,
        ),
        Measurement(
            f"planner's solve and adjoint, {case}, 90th percentile",
            float(np.percentile(solved[:, 0], 90)) * 1e3,
            "ms",
        ),
        Measurement(
            f"belief tables of both boxes, {case}, median",
            float(np.median(solved[:, 1])) * 1e3,
            "ms",
        ),
    ]


def fits(sizes: Sizes, found: Findings, folder: Path) -> None:
    """Whole fits from one cold start each, every one of another record."""
    task, settings = cases.task(sizes.n_bins), cases.fit_settings()
    generic_whitening(settings, task)
    whitening_seconds = [seconds(lambda: generic_whitening(settings, task)) for _ in range(3)]
    whitening = generic_whitening(settings, task)
    times, evaluations, ended = [], [], []
    for number in range(sizes.n_fits):
        record = cases.record(sizes.n_steps, sizes.n_bins, number)

        def fit(record=record, number=number):
            rng = stream(number, "benchmark start")
            objective = ForagingObjective(record, task)
            start = choose_start(objective, settings, rng)
            return maximize(objective, settings, [start], whitening=whitening)

        results = []
        times.append(seconds(lambda fit=fit, results=results: results.append(fit())))
        evaluations.append(sum(start.n_evaluations for start in results[0].starts))
        ended.append(results[0].status in ("converged", "at_bound"))
    times, ended = np.array(times), np.array(ended)
    counted = times[ended] if ended.any() else np.array([np.nan])
    case = f"T = {sizes.n_steps}, N = {sizes.n_bins}"
    whitening_time = float(np.median(whitening_seconds))
    limit = Target("at most", 0.5)
    found.rows += [
        Measurement(
            f"ten-parameter fit from one cold start, {case}, median",
            float(np.median(counted)),
            "s",
            limit,
            f"{ended.sum()} ended at a maximum of {len(times)} records; the start's "
            f"{settings.candidates_per_start} candidates and the information matrix counted",
        ),
        Measurement(
            "the same with the search's generic whitening, which fits of a batch share",
            float(np.median(counted)) + whitening_time,
            "s",
            limit,
        ),
        Measurement(f"slowest of these fits, at a maximum or not, {case}", float(times.max()), "s"),
        Measurement(
            f"E-steps of a fit, {case}, median",
            float(np.median(evaluations)),
            "E-steps",
            note=f"besides {settings.candidates_per_start} forward passes that choose the start",
        ),
        Measurement(
            "fits that ended at a maximum",
            float(ended.mean()),
            "share",
            note="inside or at a bound",
        ),
    ]


_EQUAL = Target("at most", 1e-8)


@dataclass(frozen=True)
class _PeerPlan:
    """What one peer is asked to do, and what is expected of the comparison."""

    peer: str
    work: str
    chain: tuple[ChainTables, ChainInputs]
    options: tuple[str, ...]
    note: str
    time_target: Target | None = None
    log_likelihood_target: Target | None = None
    posterior_target: Target | None = None
    posterior_note: str = ""
    drawn: bool = False


def _beside_peer(name, tables, inputs, folder, repetitions, *options):
    """Seconds of E-step and peer in turn, and how far the results are apart."""
    case, results = folder / "case.npz", folder / "results.npz"
    save_case(case, tables, inputs)
    with Peer(name, case, results, *options) as peer:
        own, theirs = side_by_side(
            lambda: seconds(lambda: expected_counts(tables, inputs)), peer.run, repetitions
        )
    log_likelihood, posterior = peer.computed()
    own_posterior = np.empty_like(posterior)
    smoothed = expected_counts(tables, inputs, own_posterior)
    apart = abs(log_likelihood / smoothed.log_likelihood - 1.0)
    return own, theirs, apart, float(np.abs(posterior - own_posterior).max())


def peers(sizes: Sizes, found: Findings, folder: Path) -> None:
    """E-step beside other programs: time, log-likelihood, posterior."""
    dense = _default_chain(sizes.n_steps, sizes.n_bins)
    model = agent_model(cases.agent_theta(), cases.task(sizes.n_bins))
    plain = cases.plain_chain(model, sizes.n_steps)
    case = f"T = {sizes.n_steps}, N = {sizes.n_bins}"
    n_states = f"{sizes.n_bins**2} states"
    dense_note = f"compiled, double precision, {n_states}, transitions dense and per step"
    plans = (
        _PeerPlan(
            *("dynamax", "hmm_smoother", dense, ("hmm_smoother", "counts")),
            note=f"as it comes, moves counted; {dense_note}",
            time_target=Target("at least", 50.0),
            log_likelihood_target=_EQUAL,
            posterior_note="it takes predicted probabilities below 1e-8 for zero; see the next",
            drawn=True,
        ),
        _PeerPlan(
            *("dynamax", "hmm_smoother, posterior alone", dense, ("hmm_smoother", "posterior")),
            note="counts of moves dropped by the compiler, so less than the E-step does",
        ),
        _PeerPlan(
            *("dynamax", "hmm_two_filter_smoother", dense, ("hmm_two_filter_smoother", "counts")),
            note=f"moves counted; {dense_note}",
            log_likelihood_target=_EQUAL,
            posterior_target=_EQUAL,
        ),
        _PeerPlan(
            *("hmmlearn", "score_samples", plain, ()),
            note=f"posterior alone; {n_states}, one kernel, one transition matrix, scaling",
            log_likelihood_target=_EQUAL,
            posterior_target=_EQUAL,
            drawn=True,
        ),
    )
    for plan in plans:
        own, theirs, apart, posterior_apart = _beside_peer(
            plan.peer, *plan.chain, folder, sizes.peer_repetitions, *plan.options
        )
        called = f"{plan.peer}'s {plan.work}"
        found.rows += [
            Measurement(
                f"{called} against the E-step with all counts, {case}",
                float(np.median(theirs / own)),
                "times the E-step's seconds",
                plan.time_target,
                f"{plan.note}; median of {len(own)} ratios, in turn",
            ),
        ]
        if plan.log_likelihood_target is not None:
            found.rows += [
                Measurement(
                    f"log-likelihood, {called} against E-step",
                    apart,
                    "relative difference",
                    plan.log_likelihood_target,
                ),
                Measurement(
                    f"smoothed posteriors, {called} against E-step",
                    posterior_apart,
                    "largest difference of a probability",
                    plan.posterior_target,
                    plan.posterior_note,
                ),
            ]
        if plan.drawn:
            found.draw("A", plan.peer, [sizes.n_steps], [np.median(theirs)])
            found.draw("B", plan.peer, [sizes.n_bins], [np.median(theirs)])


def steps(sizes: Sizes, found: Findings, folder: Path) -> None:
    """E-step against the number of steps."""
    tables, inputs = _default_chain(max(sizes.steps), sizes.n_bins)

    def head(n_steps):
        part = ChainInputs(**{name: array[:n_steps] for name, array in inputs.arrays.items()})
        return lambda: expected_counts(tables, part)

    times = median_seconds([head(n_steps) for n_steps in sizes.steps], sizes.scaling_repetitions)
    found.draw("A", HALF_A_BIN, sizes.steps, times)
    found.rows.append(
        Measurement(
            f"exponent of the E-step's time in T, N = {sizes.n_bins}",
            exponent(sizes.steps, times),
            "",
            Target("within", 1.0, 0.03),
            f"T from {_round(min(sizes.steps))} to {_round(max(sizes.steps))}",
        )
    )


def bins(sizes: Sizes, found: Findings, folder: Path) -> None:
    """E-step and planner against the number of bins, for both kinds of diffusion in turn."""
    kinds = ((None, HALF_A_BIN, 2.3), (cases.FIXED_DIFFUSION, FIXED, 3.0))
    shape = (len(kinds), len(sizes.bins))
    settings = [(n, diffusion) for diffusion, _, _ in kinds for n in sizes.bins]
    chains = [_default_chain(sizes.n_steps, *setting) for setting in settings]
    smoothing = [lambda chain=chain: expected_counts(*chain) for chain in chains]
    e_steps = median_seconds(smoothing, sizes.scaling_repetitions).reshape(shape)
    short = chain_inputs(cases.record(min(500, sizes.n_steps), min(sizes.bins)))
    planning = []
    for theta in cases.random_agents(sizes.n_agents_by_bins):
        models = [agent_model(theta, cases.task(*setting)) for setting in settings]
        # The same agents everywhere.
        if all(model.plan.converged for model in models):
            planning.append(median_seconds([_solve_and_adjoint(m, short) for m in models], 1))
    planners = np.median(planning, axis=0).reshape(shape)
    span = f"N from {min(sizes.bins)} to {max(sizes.bins)}"
    for (_, label, limit), smoothed, planned in zip(kinds, e_steps, planners, strict=True):
        found.draw("B", label, sizes.bins, smoothed)
        found.draw("C", label, sizes.bins, planned)
        found.rows += [
            Measurement(
                f"exponent of the E-step's time in N, {label}",
                exponent(sizes.bins, smoothed),
                "",
                Target("at most", limit),
                span,
            ),
            Measurement(
                f"exponent of the planner's time in N, {label}",
                exponent(sizes.bins, planned),
                "",
                Target("at most", limit),
                f"{span}; {len(planning)} agents",
            ),
            Measurement(
                f"planner's solve and adjoint, N = {max(sizes.bins)}, {label}, median",
                float(planned[-1]) * 1e3,
                "ms",
                Target("at most", PLANNER_TARGETS[40] * 1e3),
                f"{len(planning)} agents",
            ),
        ]


def long_records(sizes: Sizes, found: Findings, folder: Path) -> None:
    """E-step and fit of long records, each in a process of its own, with its peak memory."""

    def written(n_steps):
        place = folder / f"steps{n_steps}"
        if not place.exists():
            place.mkdir()
            run_measured("long_records", "write_record", place, n_steps, sizes.n_bins)
        return place

    def measured(step, place, n_steps):
        account = run_measured("long_records", step, place, n_steps, sizes.n_bins)
        result = json.loads((place / f"{step}.json").read_text(encoding="utf-8"))
        return result, account["peak_bytes"] / _GIBIBYTE

    short, long = written(sizes.long_fit), written(sizes.longest)
    _, baseline = measured("smooth", short, 100)
    smoothed, smooth_peak = measured("smooth", long, sizes.longest)
    fitted, fit_peak = measured("fit", short, sizes.long_fit)
    found.draw("A", HALF_A_BIN, [sizes.longest], [smoothed["seconds"]])
    case = f"T = {_round(sizes.longest)}, N = {sizes.n_bins}"
    fit_case = f"T = {_round(sizes.long_fit)}, N = {sizes.n_bins}"
    found.rows += [
        Measurement(
            f"peak resident memory of an E-step, {case}",
            smooth_peak,
            "GiB",
            Target("at most", 1.0),
            f"the whole process; with 100 steps it is {baseline:.2f} GiB",
        ),
        Measurement(f"E-step, {case}", smoothed["seconds"], "s"),
        Measurement(
            f"ten-parameter fit from one cold start, {fit_case}",
            fitted["seconds"],
            "s",
            Target("at most", 180.0),
            f"{fitted['status']}, {fitted['n_evaluations']} E-steps; choice of the start and generic "
            "whitening counted",
        ),
        Measurement(f"peak resident memory of that fit, {fit_case}", fit_peak, "GiB"),
    ]


#: Name to function; `--only` takes these names. Short ones first.
STUDIES = {
    "e_step": e_step,
    "planner": planner,
    "fits": fits,
    "peers": peers,
    "steps": steps,
    "bins": bins,
    "records": growth.records,
    "jobs": growth.jobs,
    "long_records": long_records,
}
