"""The families of Ascend devices."""

from __future__ import annotations

import enum


class Hardware(enum.Enum):
    """A family of Ascend devices, as the official support tables split them."""

    A2 = "A2"
    A3 = "A3"
    DT950 = "950DT"
    A910 = "910A"
    """The Atlas training series, which no list has by itself: what A2 lacks it lacks, too."""

    @property
    def has_lists(self) -> bool:
        """Whether the support lists say what works on it."""
        return self is not Hardware.A910

    @property
    def shown(self) -> str:
        """The family as a finding on support names it, with what the lists do not cover."""
        return self.value if self.has_lists else f"{self.value} (no list covers it; A2 is what is listed)"
