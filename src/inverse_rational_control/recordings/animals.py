"""From entries of the section `animals` to what is fitted: a dataset per subject, session, or all.

Names are needed before any job runs, so subjects and sessions that the configuration does not list are
read from the files' one or two columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.layout import Layout, find_column
from inverse_rational_control.recordings.problems import Problems, shown_header
from inverse_rational_control.recordings.tables import TextTable

__all__ = ["expanded", "files_of", "layout_of", "safe_name", "with_own"]


def expanded(animals: Mapping[str, str | Mapping]) -> dict[str, dict[str, Any]]:
    """Everything that is fitted, by its name.

    Parameters
    ----------
    animals : mapping
        The checked section.

    Returns
    -------
    dict
        Entries with the keys of the section, all with `files`; `only_subject` and `only_session` say
        whose rows count, None for all.

    Raises
    ------
    RecordError
        If a file cannot be read, a subject is not there, or a name is taken; one line.
    """
    datasets: dict[str, dict[str, Any]] = {}
    for name, entry in animals.items():
        files = files_of(entry)
        entry = {} if isinstance(entry, str) else dict(entry)
        entry.pop("file", None)
        entry["files"] = files
        for own, only in _parts(name, entry).items():
            if own in datasets or (own != name and own in animals):
                raise RecordError(
                    f"animals.{name}: found {own!r}, which is another animal's name as well, "
                    "allowed: different names"
                )
            datasets[own] = entry | only
    return datasets


def files_of(entry: str | Mapping[str, Any]) -> list[str]:
    """Files of an entry of the section, in order."""
    if isinstance(entry, str):
        return [entry]
    return [entry["file"]] if "file" in entry else list(entry["files"])


def with_own(config: Mapping[str, Any], dataset: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with what differs for one of the `expanded`: task and world."""
    own = {name: dataset[name] for name in ("task", "world") if name in dataset and name in config}
    return {**config, **{name: {**config[name], **changed} for name, changed in own.items()}}


def layout_of(dataset: Mapping[str, Any]) -> Layout:
    """How the files of one of the `expanded` are laid out."""
    return Layout(
        dataset.get("columns", {}),
        dataset.get("codes", {}),
        dataset.get("subject"),
        dataset.get("session"),
        dataset.get("only_subject"),
        dataset.get("only_session"),
        dataset.get("missing_steps") == "new_session",
    )


def safe_name(label: str) -> str:
    """A label as part of a file's name: letters, digits and _."""
    return re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_") or "_"


def _parts(name: str, entry: Mapping) -> dict[str, dict[str, str | None]]:
    """Whose rows each dataset of an entry takes, by the dataset's name."""
    wanted = entry.get("fit", ("subject",))
    everything = {"only_subject": None, "only_session": None}
    if entry.get("subject") is None and "session" not in wanted:
        return {name: everything}
    if "session" in wanted and entry.get("session") is None:
        raise RecordError(
            f"animals.{name}.fit: found session, allowed: with the column of sessions (session)"
        )
    labels = _labels(name, entry, "session" in wanted)
    parts: dict[str, dict[str, str | None]] = {}

    def add(only_subject, only_session):
        said = [safe_name(label) for label in (only_subject, only_session) if label is not None]
        own = stem = "_".join((name, *said))
        # Labels that differ in signs only get numbers, in the order in which they appear.
        number = 1
        while own in parts:
            number += 1
            own = f"{stem}_{number}"
        parts[own] = {"only_subject": only_subject, "only_session": only_session}

    if "pooled" in wanted:
        parts[name] = everything
    if "subject" in wanted:
        for subject in dict.fromkeys(subject for subject, _ in labels):
            add(subject, None)
    if "session" in wanted:
        for subject, session in labels:
            add(subject, session)
    return parts


def _labels(name: str, entry: Mapping, with_sessions: bool) -> list[tuple[str | None, str | None]]:
    """Subjects, each with its sessions if they are asked for, in the order of the files."""
    listed = entry.get("subjects")
    if listed is not None and not with_sessions:
        return [(subject, None) for subject in listed]
    columns = [
        entry.get("subject"),
        entry["session"] if with_sessions else None,
    ]
    found: dict[tuple[str | None, str | None], None] = {}
    for file in entry["files"]:
        if Path(file).suffix == ".nc":
            raise RecordError(
                f"animals.{name}: found {file!r} with subject or session, allowed: for tables only; a "
                "NetCDF record is of one subject"
            )
        found |= dict.fromkeys(_pairs(Path(file), columns))
    if listed is not None:
        found = {pair: None for pair in found if pair[0] in listed}
    if not found:
        raise RecordError(f"animals.{name}: found no subjects in {', '.join(entry['files'])}")
    return list(found)


def _pairs(path: Path, columns: list[str | None]) -> dict[tuple[str | None, str | None], None]:
    """Different rows of a few columns, in order; None where no column is asked for."""
    problems = Problems(path)
    table = TextTable(path, problems)
    places = []
    for column in columns:
        found = find_column(table.header, column) if column is not None and table.header else []
        if table.header and column is not None and not found:
            problems.say(f"column {column!r} is missing (found: {shown_header(table.header)})")
        places.append(found[0] if found else None)
    problems.settle()
    pairs: dict = {}
    for piece in table.pieces():
        nothing = [None] * len(piece.rows)
        cells = [nothing if place is None else piece.cells[place] for place in places]
        pairs |= dict.fromkeys(zip(*cells, strict=True))
    # Empty cells are a mistake of the file, which is judged as a whole when it is imported.
    return {pair: None for pair in pairs if not {"", "NA", "nan", "NaN"} & set(pair)}
