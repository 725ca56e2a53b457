"""Files written and read in blocks: those of `contract`, with its checks, and never whole in memory."""

import tracemalloc

import netCDF4
import numpy as np
import pytest
import xarray as xr

from inverse_rational_control.storage import digest, netcdf
from inverse_rational_control.storage.blocks import CHUNK, read_in_blocks, written_in_blocks
from inverse_rational_control.storage.contract import (
    Contract,
    DatasetError,
    differences,
    read,
    variable,
    write,
)


def _rules(dataset):
    if int(dataset["bin"][0]) == 9:
        raise ValueError("variable 'bin' begins with 9")


LONG = Contract(
    "long",
    "a long record",
    {
        "mass": variable("step bin_1", "f", "1", "some numbers", finite=True),
        "bin": variable("step", "i", "", "whole ones"),
        "total": variable("", "f", "nat", "their sum"),
    },
    {"words": variable("box", "U", "", "some words")},
    ("made_by",),
    rules=_rules,
)
N_STEPS = 2 * CHUNK + 300


def _contents(n_steps=N_STEPS):
    rng = np.random.default_rng(0)
    mass = rng.random((n_steps, 3)).astype(np.float32)
    bins = rng.integers(0, 5, n_steps).astype(np.int32)
    rest = xr.Dataset(
        {"total": ((), 3.5), "words": ("box", ["one", "other"])},
        {"step": np.arange(n_steps), "box": [1, 2], "bin_1": [0.1, 0.2, 0.3]},
        {"made_by": "a test"},
    )
    return mass, bins, rest


def _write(path, mass, bins, rest, begins=(2 * CHUNK, CHUNK, 0)):
    with written_in_blocks(path, LONG, len(mass)) as file:
        for begin in begins:
            for name, values in (("mass", mass), ("bin", bins)):
                file.put(name, begin, values[begin : begin + CHUNK])
        if rest is not None:
            file.add(rest)


def test_the_file_is_that_of_a_write_at_once(tmp_path):
    """Down to the digest; also where blocks come twice."""
    mass, bins, rest = _contents()
    _write(tmp_path / "blocks.nc", mass, bins, rest, (CHUNK, 0, 2 * CHUNK, CHUNK, 0))
    whole = rest.assign(mass=(("step", "bin_1"), mass), bin=("step", bins))
    write(whole, tmp_path / "whole.nc", LONG)
    one, other = (xr.load_dataset(tmp_path / f"{name}.nc") for name in ("blocks", "whole"))
    assert differences(one, other) == []
    assert one.attrs == other.attrs
    for name in other.variables:
        assert one[name].attrs == other[name].attrs
        assert one[name].dtype == other[name].dtype
    read(tmp_path / "blocks.nc", LONG)
    with netCDF4.Dataset(tmp_path / "blocks.nc") as file:
        assert all(file[name].filters()["fletcher32"] for name in ("mass", "bin", "step", "words"))
    with read_in_blocks(tmp_path / "whole.nc", LONG) as found:
        assert differences(found, read(tmp_path / "whole.nc", LONG)) == []
        np.testing.assert_array_equal(found["mass"][5:9], mass[5:9])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blocks.nc", "whole.nc"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda mass, bins, rest: (mass, bins, None), "kind"),
        (lambda mass, bins, rest: (mass, bins, rest.drop_attrs()), "'made_by' is missing"),
        (lambda mass, bins, rest: (mass, bins, rest.drop_vars("total")), "'total' is missing"),
        (lambda mass, bins, rest: (mass, bins.astype(float), rest), "'bin' has type"),
        (lambda mass, bins, rest: (np.where(mass < 1e-3, np.nan, mass), bins, rest), "not finite"),
        (lambda mass, bins, rest: (mass, bins * 0 + 9, rest), "begins with 9"),
    ],
)
def test_what_breaks_the_contract_is_not_kept(tmp_path, change, words):
    with pytest.raises(DatasetError, match=words) as caught:
        _write(tmp_path / "file.nc", *change(*_contents()))
    assert "\n" not in str(caught.value) and "file.nc" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_block_that_never_came_is_noticed(tmp_path):
    with pytest.raises(DatasetError, match="not finite"):
        _write(tmp_path / "file.nc", *_contents(), begins=(2 * CHUNK, 0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt(), ValueError("no")])
def test_an_interrupted_write_leaves_what_was_there(tmp_path, failure):
    _write(tmp_path / "file.nc", *_contents())
    before = (tmp_path / "file.nc").read_bytes()
    told = DatasetError if isinstance(failure, OSError) else type(failure)
    mass, _, _ = _contents()
    with pytest.raises(told), written_in_blocks(tmp_path / "file.nc", LONG, N_STEPS) as file:
        file.put("mass", 0, mass[:CHUNK])
        raise failure
    assert [path.name for path in tmp_path.iterdir()] == ["file.nc"]
    assert (tmp_path / "file.nc").read_bytes() == before


def test_damage_is_noticed_before_anything_is_given(tmp_path):
    """A bit here and there, and a file that ends early."""
    path = tmp_path / "file.nc"
    _write(path, *_contents())
    whole = path.read_bytes()
    noticed = 0
    for place in np.random.default_rng(1).integers(0, len(whole), 60):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        try:
            with read_in_blocks(path, LONG) as found:
                values = {name: found[name].values for name in ("mass", "bin", "total")}
        except DatasetError as error:
            assert "\n" not in str(error) and "file.nc" in str(error)
            noticed += 1
        else:
            for name, expected in zip(values, (*_contents()[:2], 3.5), strict=True):
                np.testing.assert_array_equal(values[name], expected)
    assert noticed > 20
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DatasetError), read_in_blocks(path, LONG):
        pass


def test_neither_is_ever_whole_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(digest, "_BLOCK_BYTES", 12 * CHUNK)
    monkeypatch.setattr(netcdf, "_READ_BYTES", 2**12)
    mass, bins, rest = _contents(200 * CHUNK)
    tracemalloc.start()
    try:
        _write(tmp_path / "file.nc", mass, bins, rest, range(0, 200 * CHUNK, CHUNK))
        with read_in_blocks(tmp_path / "file.nc", LONG) as found:
            np.testing.assert_array_equal(found["bin"][-3:], bins[-3:])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.5 * (mass.nbytes + bins.nbytes + rest["step"].nbytes), peak
