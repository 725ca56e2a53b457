"""A variable of a contract: its dimensions, type, unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Variable", "variable"]

#: Units that other programs (udunits, pint) can read and that mean there what they mean here.
_KNOWN_UNITS = frozenset({"", "1", "s"})


@dataclass(frozen=True)
class Variable:
    """Dimensions, kind of number ("f" float, "i" whole, "b" yes/no, "U" text), unit and meaning.

    `finite` says that each of its numbers must be finite; elsewhere NaN says that there is none.
    """

    dims: tuple[str, ...]
    type: str
    unit: str
    meaning: str
    finite: bool = False

    def attributes(self) -> dict[str, str]:
        """Attributes in a file: meaning and unit; our own units, such as nat, are 1 to others."""
        if self.unit in _KNOWN_UNITS:
            return {"long_name": self.meaning, "units": self.unit}
        return {"long_name": self.meaning, "units": "1", "measured_in": self.unit}


def variable(dims: str, type_: str, unit: str, meaning: str, finite: bool = False) -> Variable:
    """A variable of a contract, its dimensions as words: ``variable("step box", "i", "", "...")``."""
    return Variable(tuple(dims.split()), type_, unit, meaning, finite)
