"""Maximize a record's likelihood from numbered starts by one or more methods; keep the paths."""

from inverse_rational_control.config.fitting import FitSettings
from inverse_rational_control.foraging.objective import ForagingObjective
from inverse_rational_control.foraging.starts import choose_start, generic_whitening
from inverse_rational_control.inference.start import fit_start
from inverse_rational_control.parameter_ranges import range_ends
from inverse_rational_control.random_streams import stream
from inverse_rational_control.recordings.dataset import (
    RECORD,
    record_from_dataset,
    task_from_dataset,
)
from inverse_rational_control.storage.contract import read, write
from inverse_rational_control.storage.provenance import provenance
from inverse_rational_control.studies.optimization.dataset import (
    OPTIMIZATION_PATHS,
    optimization_paths_dataset,
)
from inverse_rational_control.workflow import run


def main(config, record, methods, start_from, starts, max_evaluations, tolerance, paths, log):
    """Write the optimization paths.

    `start_from` is "chosen" (the most likely of some candidates), "drawn" (the first of these
    candidates) or "middle" (of the start ranges).
    """
    dataset = read(record, RECORD)
    task = task_from_dataset(dataset)
    objective = ForagingObjective(record_from_dataset(dataset), task)
    limits = {"max_iterations": max_evaluations, "tolerance": tolerance}
    settings = FitSettings(**config["fitting"] | {"em": config["fitting"]["em"] | limits})
    whitening = generic_whitening(settings, task)

    def start_of(number):
        if start_from == "middle":
            return range_ends(settings.start_ranges).mean(0)
        n_candidates = settings.candidates_per_start if start_from == "chosen" else 1
        rng = stream(config["root_seed"], "optimization", "start", number)
        candidates = settings.model_copy(update={"candidates_per_start": n_candidates})
        return choose_start(objective, candidates, rng)

    followed = []
    for number in starts:
        start = start_of(number)
        for method in methods:
            by_method = settings.model_copy(update={"method": method})
            found = fit_start(objective, by_method, start, whitening)
            log.info(
                "%s from %s start %d: log-likelihood %.6f, %d E-steps, %.1f s; %s",
                method,
                start_from,
                number,
                found.log_likelihood,
                found.n_evaluations,
                found.seconds,
                found.stop_reason,
            )
            followed.append((method, number, found))
    result = optimization_paths_dataset(followed, task, start_from)
    write(result.assign_attrs(provenance(config)), paths, OPTIMIZATION_PATHS)


if __name__ == "__main__":
    run(main, snakemake)
