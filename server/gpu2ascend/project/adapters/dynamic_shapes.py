"""The package with the detector of dynamic shapes: its files, with texts in the user's language."""

from __future__ import annotations

from importlib.resources import files

from gpu2ascend_rules.hosting import DETECTING_PACKAGE as PACKAGE
from gpu2ascend_rules.messages import catalogue
from gpu2ascend_rules.targets.registry import DEFAULT
from gpu2ascend_rules.targets.target import Target

_FILES = ("__init__.py", "hook.py", "modes.py", "report.py", "shapes.py")
_CAUSES = ("data", "scalar", "images", "lengths", "arguments", "tail", "carried", "dropped")
_HEAD = "# Written by gpu2ascend: finds operators whose shapes change while a training runs.\n"


def detector_files(language: str, package: str = PACKAGE, target: Target = DEFAULT) -> dict[str, str]:
    """The files of the package by their paths from the project's directory; reports are named for a target.
    Raises ValueError: there are no texts in that language."""
    folder = files(__package__) / "templates" / "dynamic_shapes"
    made = {f"{package}/{name}": (folder / name).read_text(encoding="utf-8") for name in _FILES}
    return {**made, f"{package}/texts.py": _texts(language, target.shapes_prefix)}


def _texts(language: str, prefix: str) -> str:
    """The module with the texts: how reports begin, and for each cause what it is, and what to do."""
    known = catalogue(language)
    lines = [
        f"    {cause!r}: ({known[f'detector.{cause}']!r}, {known[f'detector.{cause}.advice']!r}),"
        for cause in _CAUSES
    ]
    head = f'{_HEAD}"""Causes of dynamic shapes, and what to do."""\n'
    return "\n".join((head, f"PREFIX = {prefix!r}", "TEXTS = {", *lines, "}\n"))
