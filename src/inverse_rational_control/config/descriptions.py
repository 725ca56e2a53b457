"""Which parameters describe one's own animals: section `descriptions`."""

from __future__ import annotations

from inverse_rational_control.config.fields import AtLeastTwo, Count, Flag
from inverse_rational_control.config.section import Section, key

__all__ = ["DescriptionsSection"]


class DescriptionsSection(Section):
    """Whether the paper's model, extra parameters or no beliefs at all describe an animal best."""

    enabled: Flag = key(True, "whether descriptions of one's own animals are compared")
    n_parts: AtLeastTwo = key(
        5, "parts of a record that are held out in turn: sessions, or blocks of steps", "parts"
    )
    n_starts: Count = key(
        2,
        "optimizer starts of each fit without a part: random ones, and the end of the most likely fit "
        "that only lacks extra parameters",
        "starts",
    )
