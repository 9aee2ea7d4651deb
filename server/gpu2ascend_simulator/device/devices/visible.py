"""How many devices a process may use."""

from __future__ import annotations

import os

from ..settings import CURRENT as SETTINGS

VARIABLE = "ASCEND_RT_VISIBLE_DEVICES"


def visible_devices() -> int:
    """How many of the machine's devices the environment leaves visible."""
    chosen = chosen_devices()
    return SETTINGS.devices if chosen is None else len(chosen)


def chosen_devices() -> list[int] | None:
    """The numbers on the machine of the visible devices; None where the environment does not choose.

    The list is of numbers in ascending order; one that is not is worth no device at all, and the
    first number beyond the machine's devices ends it.
    """
    text = os.environ.get(VARIABLE)
    if text is None:
        return None
    chosen: list[int] = []
    for part in text.split(",") if text else ():
        index = int(part) if part.isascii() and part.isdigit() else -1
        if index <= (chosen[-1] if chosen else -1):
            return []
        if index >= max(SETTINGS.devices, SETTINGS.devices_of_host):
            return chosen
        chosen.append(index)
    return chosen
