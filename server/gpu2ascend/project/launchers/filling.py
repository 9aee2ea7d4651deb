"""The templates of the files for starting a training, and how they are filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

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
