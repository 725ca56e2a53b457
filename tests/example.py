"""The module of the worked example, which is no part of any package."""

import importlib.util

from tests import ROOT

_PLACE = ROOT / "examples" / "record_events.py"
_SPECIFICATION = importlib.util.spec_from_file_location("record_events", _PLACE)
record_events = importlib.util.module_from_spec(_SPECIFICATION)
_SPECIFICATION.loader.exec_module(record_events)
