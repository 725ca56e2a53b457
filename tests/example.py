"""The modules of the worked example, which are no part of any package."""

import importlib.util
from types import ModuleType

from tests import ROOT


def _module(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, ROOT / f"examples/{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


record_events, tutorial = _module("record_events"), _module("tutorial")
