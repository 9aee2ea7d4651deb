"""The script that sets a migrated project's environment: CANN, and what was found that the project needs.

It is made for POSIX sh, so that scripts of any shell can source it.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import NamedTuple

_PLACE = re.compile(r"@([A-Z][A-Z_]*)@")


def template(name: str) -> str:
    """The text of a template, by its path below ``templates``."""
    place = files(__package__) / "templates"
    for step in name.split("/"):
        place = place / step
    return place.read_text(encoding="utf-8")


def filled(text: str, values: Mapping[str, str]) -> str:
    """A template with a value for each ``@NAME@``. A value stays as it is, also if it has such a name in it.
    Raises KeyError: there is no value for a place."""
    return _PLACE.sub(lambda match: values[match[1]], text)


USUAL_NAME = "env.sh"
_GIVEN_WAY = "env_npu"
"""Begins the name where the project has a script of the usual name."""
FIRST_LINE = "# shellcheck shell=sh\n# The environment of this project on Ascend NPUs, written by gpu2ascend."
"""By which the script is known when a migrated project is migrated again."""


class Need(enum.Enum):
    """What a project may need beside CANN; the value names the template."""

    VISIBLE_DEVICES = "visible_devices"
    """Something in it chooses devices by the variable of CUDA."""
    COLLECTIVES = "collectives"
    """It trains in several processes."""


class EnvironmentFile(NamedTuple):
    """The script, for the top directory of a project."""

    name: str
    text: str


def environment_file(name: str = USUAL_NAME, needs: Iterable[Need] = ()) -> EnvironmentFile:
    """The script for a project with these needs."""
    wanted = frozenset(needs)
    parts = ["cann", *(need.value for need in Need if need in wanted), "settings"]
    text = "\n".join(template(f"environment/{part}.sh") for part in parts)
    return EnvironmentFile(name, f"{FIRST_LINE}\n{filled(text, {'NAME': name})}")


def names() -> Iterable[str]:
    """The names that the script may have, the usual one first."""
    yield USUAL_NAME
    yield f"{_GIVEN_WAY}.sh"
    yield from (f"{_GIVEN_WAY}{number}.sh" for number in range(2, 1000))
