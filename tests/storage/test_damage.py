"""Damaged files and odd ones: refused in one line that names them, or read with the same numbers."""

import os
import random
import sys
import time
import zipfile

import netCDF4
import numpy as np
import pytest
import xarray as xr

from inverse_rational_control.record import RecordError
from inverse_rational_control.recordings.dataset import RECORD, task_attribute
from inverse_rational_control.recordings.reading import read_record
from inverse_rational_control.storage import netcdf
from inverse_rational_control.storage.contract import DatasetError, differences, read, write
from inverse_rational_control.storage.digest import DIGEST
from inverse_rational_control.task import Task
from tests.filled import filled

N_FLIPS = 150
HEADER = {"kind": "record", "task": task_attribute(Task()), "complete": "yes"}
#: Those of an own file, with a checksum that cannot be right.
OWN_HEADER = HEADER | {DIGEST: "0" * 64}
COLUMNS = ("session", "location", "action", "reward")


def _record(n_steps=300):
    still = dict.fromkeys(COLUMNS, np.zeros(n_steps, int))
    sizes = {"step": n_steps, "box": 2, "parameter": 10, "world_parameter": 6}
    return filled(RECORD, sizes, still, RECORD.optional, HEADER)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Bytes of a sound file, and what it holds."""
    path = tmp_path_factory.mktemp("sound") / "record.nc"
    write(_record(), path, RECORD)
    return path.read_bytes(), read(path, RECORD)


def _refused(path, **how):
    """Read a file, which must be refused in one line, at once."""
    began = time.monotonic()
    with pytest.raises(DatasetError) as caught:
        read(path, RECORD, **how)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert time.monotonic() - began < 60
    return message


def _same_or_refused(path, expected):
    try:
        assert differences(read(path, RECORD), expected) == []
        return False
    except DatasetError as error:
        assert str(path) in str(error)
        assert "\n" not in str(error)
        return True


@pytest.mark.parametrize("where", ["anywhere", "where something is"])
def test_flipped_bits_are_never_read_as_data(where, sound, tmp_path):
    content, expected = sound
    rng = random.Random(where)
    places = [k for k, byte in enumerate(content) if byte or where == "anywhere"]
    path, n_refused = tmp_path / "record.nc", 0
    for _ in range(N_FLIPS // 2):
        changed = bytearray(content)
        changed[rng.choice(places)] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        n_refused += _same_or_refused(path, expected)
    assert n_refused > N_FLIPS // 20


def test_blocks_of_zeros_and_of_noise_are_never_read_as_data(sound, tmp_path):
    """As disks leave them: 512 bytes that were not written, or another file's."""
    content, expected = sound
    rng = random.Random(5)
    path, n_refused = tmp_path / "record.nc", 0
    for block in range(0, len(content), 512 * 7):
        changed = bytearray(content)
        changed[block : block + 512] = rng.choice([bytes(512), rng.randbytes(512)])
        path.write_bytes(changed[: len(content)])
        n_refused += _same_or_refused(path, expected)
    assert n_refused > 3


def test_values_of_a_file_whose_own_checksums_are_right_are_checked(tmp_path):
    """Another program has written the number, and Fletcher's checksum with it."""
    path = tmp_path / "record.nc"
    write(_record(), path, RECORD)
    with netCDF4.Dataset(path, "a") as file:
        file["cue"][17, 1] = 1 - file["cue"][17, 1]
    assert "the contents do not match their checksum" in _refused(path)


# --- odd files ------------------------------------------------------------------------------------


def _netcdf(path, header, format="NETCDF4", n_steps=30, dims=None, **changed):
    """A file that another program has made: its variables as they are given."""
    with netCDF4.Dataset(path, "w", format=format) as file:
        file.setncatts(header)
        for name, size in (dims or {"step": n_steps, "box": 2}).items():
            file.createDimension(name, size)
        for name in (*COLUMNS, "cue"):
            type_, shape, values = changed.get(
                name, ("i4", ("step", "box")[: 1 + (name == "cue")], 0)
            )
            file.createVariable(name, type_, shape)
            if values is not None:
                file[name][:] = values


def _h5(path, make):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.attrs.update(OWN_HEADER)
        make(h5py, file)


def _zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("record.nc", "nothing")


def _compound(path):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(OWN_HEADER)
        file.createDimension("step", 3)
        type_ = file.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "pair")
        file.createVariable("action", type_, ("step",))


def _enumeration(path):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(OWN_HEADER)
        file.createDimension("step", 3)
        type_ = file.createEnumType("i4", "choice", {"stay": 0})
        file.createVariable("action", type_, ("step",), fill_value=0)


def _variable_length(path):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(OWN_HEADER)
        file.createDimension("step", 3)
        file.createVariable("action", file.createVLType("i4", "ragged"), ("step",))


def _strings(path):
    _netcdf(path, OWN_HEADER, session=(str, ("step",), None))


def _enormous(path, size, **options):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(OWN_HEADER)
        file.createDimension("step", size)
        file.createDimension("box", 2)
        for name in (*COLUMNS, "cue"):
            dims = ("step", "box") if name == "cue" else ("step",)
            file.createVariable(name, "i4", dims, **options)


def _unlimited(path):
    _netcdf(
        path,
        OWN_HEADER,
        dims={"step": None, "box": None},
        n_steps=4,
        action=("i4", ("step",), [0] * 4),
    )


def _deep_groups(path):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(OWN_HEADER)
        group = file
        for _ in range(500):
            group = group.createGroup("deeper")


def _many_groups(path):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(OWN_HEADER)
        for k in range(200):
            file.createGroup(f"group{k}")


ODD = {
    "empty": lambda path: path.write_bytes(b""),
    "one byte": lambda path: path.write_bytes(b"\x89"),
    "signature alone": lambda path: path.write_bytes(b"\x89HDF\r\n\x1a\n"),
    "classic signature": lambda path: path.write_bytes(b"CDF\x01"),
    "zeros": lambda path: path.write_bytes(bytes(100_000)),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(50_000)),
    "text": lambda path: path.write_text("location,action\n0,1\n"),
    "text with the checksum's name": lambda path: path.write_text(f"{DIGEST} = 12\n"),
    "page": lambda path: path.write_text("<html><body>404</body></html>"),
    "directory": lambda path: path.mkdir(),
    "pipe": lambda path: os.mkfifo(path),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "link to nothing": lambda path: path.symlink_to("/nowhere/at/all"),
    "link to itself": lambda path: path.symlink_to(path),
    "zip": _zip,
    "gzip": lambda path: path.write_bytes(b"\x1f\x8b\x08" + bytes(40)),
    "netCDF-3": lambda path: _netcdf(path, OWN_HEADER, "NETCDF3_CLASSIC"),
    "netCDF-3 of another": lambda path: _netcdf(path, HEADER, "NETCDF3_64BIT_OFFSET"),
    "without a checksum": lambda path: _netcdf(path, HEADER),
    "wrong checksum": lambda path: _netcdf(path, OWN_HEADER),
    "checksum of another type": lambda path: _netcdf(path, HEADER | {DIGEST: [1.0, 2.0]}),
    "kind of another type": lambda path: _netcdf(path, OWN_HEADER | {"kind": [3, 4]}),
    "end of another type": lambda path: _netcdf(path, OWN_HEADER | {"complete": [3, 4]}),
    "task of another type": lambda path: _netcdf(path, OWN_HEADER | {"task": 3}),
    "without attributes": lambda path: _netcdf(path, {}),
    "unlimited dimensions": _unlimited,
    "other dimensions": lambda path: _netcdf(
        path, OWN_HEADER, dims={"box": 2, "step": 2}, cue=("i4", ("box", "step"), 0)
    ),
    "three boxes": lambda path: _netcdf(path, OWN_HEADER, dims={"step": 5, "box": 3}),
    "no steps": lambda path: _netcdf(path, OWN_HEADER, dims={"step": 0, "box": 2}),
    "real numbers": lambda path: _netcdf(path, OWN_HEADER, action=("f8", ("step",), np.nan)),
    "characters": lambda path: _netcdf(path, OWN_HEADER, action=("S1", ("step",), b"a")),
    "strings": _strings,
    "compound": _compound,
    "enumeration": _enumeration,
    "variable length": _variable_length,
    "gigantic": lambda path: _enormous(path, 10**12),
    "gigantic chunks": lambda path: _enormous(path, 10**9, chunksizes=None, zlib=True),
    "large, of fill values": lambda path: _enormous(path, 10**8, zlib=True),
    "groups": _many_groups,
    "deep groups": _deep_groups,
    "h5 without dimensions": lambda path: _h5(
        path, lambda h5py, file: file.create_dataset("action", data=np.zeros(4, "i4"))
    ),
    "h5 that names itself": lambda path: _h5(
        path, lambda h5py, file: file.__setitem__("x", h5py.SoftLink("/x"))
    ),
    "h5 that points outside": lambda path: _h5(
        path, lambda h5py, file: file.__setitem__("x", h5py.ExternalLink("/etc/passwd", "/x"))
    ),
    "h5 of references": lambda path: _h5(
        path, lambda h5py, file: file.create_dataset("action", (3,), dtype=h5py.ref_dtype)
    ),
    "h5 without values": lambda path: _h5(
        path, lambda h5py, file: file.create_dataset("action", (10**13,), "i4", chunks=(10**6,))
    ),
}


@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_odd_files_are_refused_in_one_line(make, tmp_path):
    path = tmp_path / "record.nc"
    make(path)
    _refused(path)


def _cycle(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.create_group("down")["up"] = file["/"]


def _half_floats(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.attrs.update(HEADER)
        file["action"] = np.zeros(3, np.float16)


@pytest.mark.parametrize(
    "make",
    [
        _cycle,
        _half_floats,
        ODD["empty"],
        ODD["noise"],
        ODD["pipe"],
        ODD["gigantic"],
        ODD["h5 without values"],
        lambda path: _netcdf(path, HEADER, "NETCDF3_CLASSIC", action=("f8", ("step",), np.nan)),
        lambda path: _netcdf(path, HEADER, dims={"step": 5, "box": 3}),
    ],
    ids=["cycle", "half floats", "empty", "noise", "pipe", "gigantic", "sparse", "types", "boxes"],
)
def test_others_records_are_tried_apart_and_refused(make, tmp_path, monkeypatch):
    """Some crash the library or make it hang; the process that asks lives on."""
    monkeypatch.setattr(netcdf, "_PATIENCE", 5)
    path = tmp_path / "record.nc"
    make(path)
    _refused(path, made_elsewhere=True)


def test_only_the_readers_own_time_counts_against_a_file(tmp_path, monkeypatch):
    """A machine that is so loaded that nothing goes on for some time condemns no file."""
    path, late = tmp_path / "rat.nc", tmp_path / "python"
    _netcdf(path, HEADER)
    late.write_text(f'#!/bin/sh\nsleep 7\nexec "{sys.executable}" "$@"\n')
    late.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(late))
    monkeypatch.setattr(netcdf, "_PATIENCE", 6)
    netcdf.refuse_unopened(path, made_elsewhere=True)


def test_a_file_that_takes_all_the_time_allowed_is_refused(tmp_path, monkeypatch):
    path, busy = tmp_path / "rat.nc", tmp_path / "python"
    _netcdf(path, HEADER)
    # As a library that goes round in circles.
    (tmp_path / "sitecustomize.py").write_text(
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, -1))\nwhile True: pass\n"
    )
    busy.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n')
    busy.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(busy))
    with pytest.raises(DatasetError, match=r"\(read for 30 s without an end\)$"):
        netcdf.refuse_unopened(path, made_elsewhere=True)


# --- records that others have made ----------------------------------------------------------------


@pytest.mark.parametrize("format", ["NETCDF4", "NETCDF3_CLASSIC"])
def test_records_of_other_programs_are_read(format, tmp_path):
    path = tmp_path / "rat.nc"
    _netcdf(path, HEADER, format)
    assert read_record(path, Task()).n_steps == 30


def test_records_of_xarray_with_strings_are_read(tmp_path):
    path = tmp_path / "rat.nc"
    _record().assign_attrs(complete="yes", kind="record").to_netcdf(path)
    for _ in range(2):
        assert read_record(path, Task()).n_steps == 300


def test_a_record_that_was_changed_and_still_has_its_checksum_is_told(tmp_path):
    path, shorter = tmp_path / "rat.nc", tmp_path / "shorter.nc"
    write(_record(), path, RECORD)
    xr.load_dataset(path).isel(step=slice(20)).to_netcdf(shorter)
    with pytest.raises(DatasetError, match="mend it, or remove that attribute") as caught:
        read_record(shorter, Task())
    assert DIGEST in str(caught.value)
    with netCDF4.Dataset(shorter, "a") as file:
        file.delncattr(DIGEST)
    assert read_record(shorter, Task()).n_steps == 20


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.assign_coords(box=[0, 1]), "dimension 'box' has other labels than 1, 2"),
        (lambda data: data.isel(box=[1, 0]), "dimension 'box' has other labels"),
        (
            lambda data: data.assign_coords(parameter=list(reversed(data["parameter"].values))),
            "dimension 'parameter' has other labels",
        ),
        (
            lambda data: data.assign(truth=data["truth"] * np.nan),
            "'truth' holds numbers that are not",
        ),
        (
            lambda data: data.assign(world=data["world"] / 0),
            "'world' holds numbers that are not finite",
        ),
        (lambda data: data.assign(action=data["action"] + 9), "action at row 0: found 9"),
        (lambda data: data.assign(cue=data["cue"] - 9), "cue_1 at row"),
        (lambda data: data.assign_attrs(task='{"n_bins": 0}'), "attribute 'task': not a task"),
        (lambda data: data.assign_attrs(task="[" * 100_000), "attribute 'task': not a task"),
        (lambda data: data.isel(step=slice(0)), "no steps found"),
    ],
    ids=["labels", "order", "names", "nan", "infinite", "action", "cue", "task", "deep", "empty"],
)
def test_records_are_checked_before_they_are_written(change, words, tmp_path):
    with pytest.raises(DatasetError, match=words):
        write(change(_record()), tmp_path / "record.nc", RECORD)
    assert list(tmp_path.iterdir()) == []


def test_records_are_checked_when_they_are_read(tmp_path, monkeypatch):
    """Also if whoever wrote them did not: each kind of column, and others' files against the task."""
    path = tmp_path / "record.nc"
    bad = _record()
    bad["location"] = bad["location"].copy(data=2 * (np.arange(300) == 7))
    with monkeypatch.context() as unchecked:
        unchecked.setattr(type(RECORD), "check_rules", lambda *_: None)
        write(bad, path, RECORD)
    assert "location at row 7: found 'box 2' after 'stay'" in _refused(path)
    with pytest.raises(RecordError, match="location at step 7"):
        read_record(path, Task())
