"""NetCDF files as others see them: characters, units, checksums, and what they open with."""

import json
import os
import shutil
import subprocess
import sys
import textwrap

import netCDF4
import numpy as np
import pytest
import xarray as xr

from inverse_rational_control.inference.dataset import FIT
from inverse_rational_control.recordings.dataset import RECORD, task_attribute
from inverse_rational_control.storage.contract import DatasetError, read, write
from inverse_rational_control.storage.digest import DIGEST, contents_digest
from inverse_rational_control.task import Task
from tests import ROOT
from tests.filled import filled

PARAMETERS = {"parameter": RECORD.labels["parameter"], "world_parameter": 6}


@pytest.fixture
def fitted(tmp_path):
    """Path of a fit's file; its words and attributes hold letters beyond ASCII."""
    sizes = {"start": 2, "iteration": 600, "parameter_other": 10, "box": 2} | PARAMETERS
    words = {"stop_reason": ["été", ""], "remarks": "größer"}
    attributes = {"task": task_attribute(Task()), "method": "em", "confidence_level": 0.95}
    dataset = filled(FIT, sizes, words, FIT.optional, attributes)
    write(dataset.assign_attrs(source="données/rät.csv"), tmp_path / "fit.nc", FIT)
    return tmp_path / "fit.nc"


def test_no_text_is_of_variable_length(fitted):
    with netCDF4.Dataset(fitted) as file:
        assert all(variable.dtype is not str for variable in file.variables.values())
        assert not file.vltypes
        for holder in (file, *file.variables.values()):
            for name in holder.ncattrs():
                value = holder.getncattr(name)
                assert not isinstance(value, list)
                assert not isinstance(value, str) or value.isascii()
    again = read(fitted, FIT)
    assert again["stop_reason"].values.tolist() == ["été", ""]
    assert again["remarks"].item() == "größer"
    assert again["stop_reason"].dtype.kind == "U"
    assert again.attrs["source"] == r"donn\xe9es/r\xe4t.csv"


def test_every_array_has_a_checksum_of_its_own(fitted):
    with netCDF4.Dataset(fitted) as file:
        arrays = [variable for variable in file.variables.values() if variable.ndim]
        assert len(arrays) > 20
        assert all(variable.filters()["fletcher32"] for variable in arrays)
        assert file["history_parameters"].filters()["zlib"]


@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
def test_files_are_read_again_and_again_while_they_are_open(fitted, engine):
    """In a process of its own: text of variable length has crashed there."""
    pytest.importorskip(engine if engine == "h5netcdf" else "netCDF4")
    program = f"""
        import sys
        import xarray as xr
        path, engine = {str(fitted)!r}, {engine!r}
        held = [xr.open_dataset(path, engine=engine) for _ in range(2)]
        for _ in range(3):
            with xr.open_dataset(path, engine=engine) as opened:
                loaded = opened.load()
            more = xr.load_dataset(path, engine=engine)
            assert loaded.identical(more)
        for each in held:
            assert each.load().identical(loaded)
        assert loaded["parameter"].values[0] == "appearance_rate_1"
        assert loaded["stop_reason"].values.tolist() == ["été", ""]
        from inverse_rational_control.inference.dataset import FIT
        from inverse_rational_control.storage.contract import read
        assert read(path, FIT)["estimate"].identical(read(path, FIT)["estimate"])
    """
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]


def test_h5py_reads_the_numbers(fitted):
    h5py = pytest.importorskip("h5py")
    expected = read(fitted, FIT)
    with h5py.File(fitted) as file:
        for name in ("estimate", "history_parameters", "n_evaluations"):
            np.testing.assert_array_equal(file[name][()], expected[name])
        assert file.attrs["kind"] in ("fit", b"fit")


@pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed")
def test_ncdump_shows_header_and_values(fitted):
    header = subprocess.run(["ncdump", "-h", fitted], capture_output=True, text=True, check=True)
    assert "string " not in header.stdout
    assert 'estimate:units = "1"' in header.stdout
    assert 'estimate:measured_in = "natural"' in header.stdout
    values = subprocess.run(
        ["ncdump", "-v", "interval_kind", fitted], capture_output=True, text=True, check=True
    )
    assert '"words"' in values.stdout


def test_units_are_what_other_programs_read(fitted):
    with xr.open_dataset(fitted) as opened:
        units = {array.attrs["units"] for array in opened.data_vars.values()}
        assert units == {"", "1", "s"}
        assert opened["log_likelihood"].attrs["measured_in"] == "nat"
        assert "measured_in" not in opened["converged"].attrs
    pint = pytest.importorskip("pint", reason="pint is not installed")
    for unit in units:
        pint.UnitRegistry().parse_units(unit)


def _small(**changed):
    values = {
        "number": np.arange(3.0),
        "count": np.arange(3, dtype=np.int32),
        "word": ["a", "bc", ""],
    }
    dataset = xr.Dataset(
        {name: ("place", found) for name, found in (values | changed).items()},
        {"place": [10, 20, 30]},
        {"kind": "small", "level": 0.95},
    )
    dataset["number"].attrs["units"] = "1"
    return dataset


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.assign(number=data["number"].copy(data=[0.0, 1.0, np.nextafter(2, 3)])),
        lambda data: data.assign(number=data["number"].copy(data=[-0.0, 1.0, 2.0])),
        lambda data: data.assign(number=data["number"].astype(np.float32)),
        lambda data: data.assign(count=data["count"].astype(np.int64)),
        lambda data: data.assign(word=("place", ["ab", "c", ""])),
        lambda data: data.assign_coords(place=[10, 20, 31]),
        lambda data: data.rename(number="numbers"),
        lambda data: data.rename(place="where"),
        lambda data: data.rename(number="count", count="number"),
        lambda data: data.drop_vars("place"),
        lambda data: data.assign_attrs(level=0.96),
        lambda data: data.assign_attrs(more="yes"),
        lambda data: data.assign(count=data["count"].assign_attrs(units="1")),
        lambda data: data.isel(place=[0, 1]),
        lambda data: data.expand_dims("row"),
    ],
)
def test_the_digest_sees_every_change(change):
    assert contents_digest(change(_small())) != contents_digest(_small())


def test_the_digest_sees_contents_alone():
    digest = contents_digest(_small())
    assert len(digest) == 64
    assert contents_digest(_small().assign_attrs({DIGEST: "other"})) == digest
    assert contents_digest(_small()[["word", "count", "number"]]) == digest, "in whatever order"
    big_endian = _small(count=np.arange(3, dtype=">i4"))
    assert contents_digest(big_endian) == digest, "by value, not by how a machine holds it"
    as_objects = _small(word=np.array(["a", "bc", ""], dtype=object))
    assert contents_digest(as_objects) == digest


def test_the_digest_is_what_its_description_says():
    """By hand, from the order and the lengths that the docstring states."""
    import hashlib

    def entries(*texts):
        parts = [text if isinstance(text, bytes) else text.encode() for text in texts]
        return b"".join(len(part).to_bytes(8, "little") + part for part in parts)

    dataset = xr.Dataset({"x": ("d", np.array([1.5, -2.0]))}, attrs={"level": 0.5, "kind": "k"})
    dataset["x"].attrs["units"] = "1"
    values = hashlib.sha256(np.array([1.5, -2.0], "<f8").tobytes()).digest()
    expected = hashlib.sha256(
        entries("x", "d", "2", "f8", values, "units", "1", "1")
        + entries("kind", "1", "k", "level", "1", (0.5).hex())
    )
    assert contents_digest(dataset) == expected.hexdigest()


def test_every_attribute_comes_back_as_it_went(tmp_path):
    """Or the digest of a sound file would be wrong."""
    sizes = {"step": 30, "box": 2}
    still = dict.fromkeys(("session", "location", "action", "reward"), np.zeros(30, int))
    record = filled(RECORD, sizes, still, attributes={"task": task_attribute(Task())})
    given = {
        "empty": "",
        "lines": "one\ntwo",
        "whole": 3,
        "narrow": np.int32(4),
        "real": 0.1,
        "single": np.float32(0.1),
        "several": [1.0, 2.0],
        "config": json.dumps({"a": [1, None]}),
    }
    write(record.assign_attrs(given), tmp_path / "record.nc", RECORD)
    again = read(tmp_path / "record.nc", RECORD)
    for name, value in given.items():
        assert np.array_equal(again.attrs[name], value)
    assert DIGEST not in again.attrs, "what is made of the dataset has another"


def test_a_change_by_another_program_is_told(fitted):
    with netCDF4.Dataset(fitted, "a") as file:
        file["estimate"][3] = np.nextafter(file["estimate"][3], 1)
    with pytest.raises(DatasetError) as caught:
        read(fitted, FIT)
    assert str(caught.value) == (
        f"{fitted}: the contents do not match their checksum ({DIGEST}): the file was changed or "
        "damaged; delete it and run again"
    )


def test_files_of_other_versions_are_told(fitted):
    with netCDF4.Dataset(fitted, "a") as file:
        file.delncattr(DIGEST)
    xr.load_dataset(fitted).to_netcdf(fitted)
    with pytest.raises(DatasetError, match=r"holds no checksum.*delete it and run again"):
        read(fitted, FIT)


def test_locks_are_asked_for_only_if_the_user_wants_them():
    program = (
        "import os; {} import inverse_rational_control; print(os.environ['HDF5_USE_FILE_LOCKING'])"
    )
    for before, expected in (
        ("", "FALSE"),
        ("os.environ['HDF5_USE_FILE_LOCKING']='TRUE';", "TRUE"),
    ):
        variables = {k: v for k, v in os.environ.items() if k != "HDF5_USE_FILE_LOCKING"}
        told = subprocess.run(
            [sys.executable, "-c", program.format(before)],
            env={**variables, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout.strip() == expected
