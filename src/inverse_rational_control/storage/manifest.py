"""The list of a results folder: what each file was when it was made, by which rule, in which run."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from inverse_rational_control.storage.atomic import write_whole
from inverse_rational_control.storage.contract import Contract, DatasetError, read_groups
from inverse_rational_control.storage.netcdf import contents_kind
from inverse_rational_control.storage.provenance import provenance

__all__ = ["NAME", "Product", "differences", "is_damaged", "this_run", "update"]

NAME = "manifest.json"
#: What else lies in a results folder and is no result: by the first part of the path.
_BESIDE = ("logs", "benchmarks", "README.md", NAME)


@dataclass(frozen=True)
class Product:
    """A file that is finished.

    Attributes
    ----------
    path : Path
    rule, source : str
        Who made it: the rule, and the digest of script and library that it used.
    made : float or None
        When, seconds since 1970, as the workflow has noted it; None: the file's own time.
    """

    path: Path
    rule: str
    source: str
    made: float | None = None


def this_run(config: Mapping) -> dict:
    """What the products of one run share: configuration, seeds, versions, kind of host, time."""
    text = json.dumps(config, sort_keys=True)
    came = provenance(config)
    return {
        "time": came["created"],
        "configuration_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "configuration": json.loads(text),
        "root_seed": int(came["root_seed"]),
        "git_revision": came["git_revision"],
        "package_versions": json.loads(came["package_versions"]),
        "host": {
            "name": came["host"],
            "system": platform.system(),
            "machine": platform.machine(),
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def update(folder: Path, products: Iterable[Product], run: Mapping) -> None:
    """Renew the manifest of a results folder after a run.

    What this run has not made keeps its entry, and its checksum with it: a file that has changed since
    it was made is not taken for what it should be. What is no longer there leaves the list.

    Parameters
    ----------
    folder : Path
        The results.
    products : iterable of Product
        What is finished below `folder`, made by this run or found up to date.
    run : mapping
        From `this_run`.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    before = _read(folder / NAME) or {"runs": {}, "products": {}}
    entries = {
        name: entry for name, entry in before["products"].items() if (folder / name).is_file()
    }
    number = run["time"]
    while number in before["runs"]:
        number += "+"
    for product in products:
        if not product.path.is_file():
            continue
        name = product.path.relative_to(folder).as_posix()
        made = product.path.stat().st_mtime if product.made is None else product.made
        made = datetime.fromtimestamp(made, UTC).isoformat(timespec="milliseconds")
        if entries.get(name, {}).get("made") != made:
            entries[name] = {
                "sha256": _sha256(product.path),
                "bytes": product.path.stat().st_size,
                "rule": product.rule,
                "source": product.source,
                "made": made,
                "run": number,
            }
    runs = before["runs"] | {number: dict(run)}
    used = {entry["run"] for entry in entries.values()}
    manifest = {
        "runs": {each: runs[each] for each in sorted(runs) if each in used},
        "products": dict(sorted(entries.items())),
    }
    write_whole(folder / NAME, json.dumps(manifest, indent=1) + "\n")


def is_damaged(folder: Path) -> bool:
    """Whether a results folder has a manifest that cannot be read, which `update` begins anew."""
    return (folder / NAME).exists() and _read(folder / NAME) is None


def differences(folder: Path, contracts: Mapping[str, Contract]) -> list[str]:
    """List how a results folder differs from its manifest, a line each; nothing if it does not.

    Parameters
    ----------
    folder : Path
    contracts : mapping of str to Contract
        By kind; NetCDF files must meet theirs.
    """
    manifest = _read(folder / NAME)
    if manifest is None:
        return [
            f"{folder / NAME}: no readable manifest; a run writes it at its end if it makes something"
        ]
    known, found = manifest["products"], []
    for name, entry in known.items():
        path = folder / name
        if not path.is_file():
            found.append(f"{path}: missing (made by rule {entry['rule']})")
        elif path.stat().st_size != entry["bytes"] or _sha256(path) != entry["sha256"]:
            found.append(f"{path}: changed since rule {entry['rule']} made it ({entry['made']})")
        elif path.suffix == ".nc":
            found += _violations(path, contracts)
    return found + _extra(folder, known)


def _violations(path: Path, contracts: Mapping[str, Contract]) -> list[str]:
    try:
        kind = contents_kind(path)
        if kind not in contracts:
            return [f"{path}: attribute kind: found {kind!r}, which no contract describes"]
        read_groups(path, contracts[kind])
    except DatasetError as error:
        return [str(error)]
    return []


def _extra(folder: Path, known: Mapping) -> list[str]:
    """Files that no rule made; a folder without any that one did is one line."""
    folders = {name.split("/")[0] for name in known}
    found: dict[str, int] = {}
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        first = name.split("/")[0]
        beside = first in _BESIDE or (name.startswith("report") and name.endswith(".html"))
        if name not in known and not beside:
            place = name if first in folders or first == name else f"{first}/"
            found[place] = found.get(place, 0) + 1
    return [
        f"{folder / place}: no rule of a run in this folder made it"
        + (f" (files: {number})" if place.endswith("/") else "")
        for place, number in sorted(found.items())
    ]


def _files(folder: Path) -> list[Path]:
    """Files below a folder, without those of results folders inside it, which have their own list."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            found += [] if (path / NAME).is_file() else _files(path)
        else:
            found.append(path)
    return found


def _read(path: Path) -> dict | None:
    """A manifest, or None if there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        for entry in found["products"].values():
            if not {"sha256", "bytes", "rule", "source", "made", "run"} <= set(entry):
                return None
            if entry["run"] not in found["runs"]:
                return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return found


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
