"""The families of Ascend devices."""

from __future__ import annotations

import enum


class Hardware(enum.Enum):
    """A family of Ascend devices, as the official support tables split them."""

    A2 = "A2"
    A3 = "A3"
    DT950 = "950DT"
