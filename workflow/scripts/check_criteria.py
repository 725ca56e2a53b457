"""Stop the run if a criterion failed, with its name, number, bound and figure."""

from inverse_rational_control.storage.atomic import written_whole
from inverse_rational_control.workflow import UserError, run


def main(text, passed):
    """Read the gathered criteria; write a line if all passed, else exit naming those that failed."""
    with open(text, encoding="utf-8") as file:
        lines = file.read().splitlines()
    failed = [" ".join(line.split()[1:]) for line in lines if not line.startswith("ok ")]
    if failed:
        summary = f"{len(failed)} of {len(lines)} criteria failed (all in {text}; figures stay):"
        raise UserError("\n".join([summary, *failed]))
    with written_whole(passed) as beside:
        beside.write_text(f"all {len(lines)} criteria passed\n", encoding="utf-8")


if __name__ == "__main__":
    run(main, snakemake)
