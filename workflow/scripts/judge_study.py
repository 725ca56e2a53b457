"""Judge a study's finished results: one row per criterion, passed, failed or not judged."""

import csv
import io
from contextlib import ExitStack
from importlib import import_module

from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.blocks import opened
from inverse_rational_control.storage.contract import read
from inverse_rational_control.studies.criterion import Criterion
from inverse_rational_control.workflow import run


def main(module, bounds, table, **paths):
    """Write the criteria of `module` as CSV; `paths` are its datasets' files, or lists of them."""
    study = import_module(module)
    columns, rows = tuple(Criterion.__dataclass_fields__), io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(columns)
    with ExitStack() as stack:
        data = {
            name: stack.enter_context(opened(found, study.INPUTS[name]))
            if isinstance(found, str)
            else [read(path, study.INPUTS[name]) for path in found]
            for name, found in paths.items()
        }
        writer.writerows(
            [getattr(criterion, column) for column in columns]
            for criterion in study.criteria(**data, bounds=bounds)
        )
    write_whole(table, rows.getvalue())


if __name__ == "__main__":
    run(main, snakemake)
