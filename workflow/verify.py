"""Compare a results folder with its manifest: a line per difference, and exit status 1 if there is one.

Usage: python workflow/verify.py

The environment's CONFIG names configuration files, as for a run.
"""

import pkgutil
import sys
from importlib import import_module
from pathlib import Path

from run_here import CONFIG, config_files

import inverse_rational_control as library
from inverse_rational_control.config.loading import ConfigError, load_config
from inverse_rational_control.storage import manifest
from inverse_rational_control.storage.contract import Contract


def contracts():
    """Every contract of the library, by kind."""
    return {
        value.kind: value
        for module in pkgutil.walk_packages(library.__path__, f"{library.__name__}.")
        if module.name.endswith(("dataset", "search_again"))
        for value in vars(import_module(module.name)).values()
        if isinstance(value, Contract)
    }


def main():
    """Verify the results of the configuration."""
    try:
        folder = Path(load_config(CONFIG, *config_files())["results_directory"])
    except ConfigError as error:
        sys.exit(f"configuration: {error}")
    found = manifest.differences(folder, contracts())
    if found:
        sys.exit("\n".join(found))
    print(f"==> {folder}: every file is as it was made")


if __name__ == "__main__":
    main()
