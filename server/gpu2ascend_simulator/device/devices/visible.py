"""How many devices a process may use."""

from __future__ import annotations

import os

from ..settings import CURRENT as SETTINGS

VARIABLE = "ASCEND_RT_VISIBLE_DEVICES"


def visible_devices() -> int:
    """How many of the machine's devices the environment leaves visible.

    The list is of numbers in ascending order; one that is not is worth no device at all, and the
    first number beyond the machine's devices ends it.
    """
    text = os.environ.get(VARIABLE)
    if text is None:
        return SETTINGS.devices
    count, previous = 0, -1
    for part in text.split(",") if text else ():
        index = int(part) if part.isascii() and part.isdigit() else -1
        if index <= previous:
            return 0
        if index >= SETTINGS.devices:
            return count
        previous = index
        count += 1
    return count
