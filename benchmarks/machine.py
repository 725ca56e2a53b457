"""The machine that was measured on, and what multiplies matrices there."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

import numpy as np

from inverse_rational_control.storage.provenance import provenance

__all__ = ["linear_algebra", "machine"]

_PACKAGES = (
    *("numpy", "scipy", "numba", "llvmlite", "snakemake"),
    *("dynamax", "hmmlearn", "jax", "jaxlib", "scikit-learn"),
)


def machine() -> dict:
    """Processor, memory, system and versions."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    described = provenance({"root_seed": 0})
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "linear_algebra": linear_algebra(),
        "versions": versions,
        "git_revision": described["git_revision"],
        "created": described["created"],
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def linear_algebra() -> str:
    """NumPy's library for matrix products, with the kernel that it runs where threadpoolctl can say."""
    try:
        from threadpoolctl import threadpool_info
    except ModuleNotFoundError:
        library = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        return f"{library.get('name')} {library.get('version')}"
    # NumPy and SciPy may each bring their own; the matrix product is NumPy's.
    found = [library for library in threadpool_info() if library["user_api"] == "blas"]
    found.sort(key=lambda library: "numpy" not in library["filepath"])
    return "; ".join(
        f"{library['internal_api']} {library['version']} ({library.get('architecture')}, "
        f"{library['num_threads']} thread)"
        for library in found[:1]
    )
