# At the end of a run: what each file of the results was when it was made (results_directory/manifest.json,
# for `make verify`), and how many criteria passed.

from inverse_rational_control.storage import manifest


def write_manifest():
    """Note what is finished, after a run that failed too; a rule could not see what others leave undone."""
    finished = [
        manifest.Product(
            Path(path), job.rule.name, job.params.get("source", ""), when_made(path)
        )
        for job in workflow.dag.jobs
        if workflow.dag.noneedrun_finished(job)
        for path in job.output
        # Logs, and tables of costs among them, differ from run to run.
        if not Path(path).is_relative_to(Path(RESULTS) / "logs")
    ]
    if manifest.is_damaged(Path(RESULTS)):
        print(
            f"{RESULTS}/{manifest.NAME}: cannot be read; begun anew, without what earlier runs made",
            file=sys.stderr,
        )
    try:
        manifest.update(Path(RESULTS), finished, manifest.this_run(config))
    except OSError as error:
        print(error, file=sys.stderr)


def when_made(path):
    """When Snakemake noted a file as made; what happened to the file since does not count."""
    noted = workflow.persistence.metadata(path)
    return noted and noted.endtime


def say_what_passed():
    """How many criteria passed, at the end of a run."""
    for job in workflow.dag.jobs:
        for path in job.output:
            if path.endswith("_passed.txt"):
                line = Path(path).read_text(encoding="utf-8").splitlines()[0]
                logger.info(f"    {line}")


onsuccess:
    write_manifest()
    say_what_passed()


onerror:
    write_manifest()
