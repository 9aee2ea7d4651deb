"""Where in the project a failure was raised, and which rule says what to do there."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.options.options import MigrationOptions

from .failures import UNKNOWN, Failure
from .frames import Frame, file_in_project
from .owners import OWN, owned_frames


class Place(NamedTuple):
    """A line of the code, with the rules that find something there."""

    path: str
    line: int
    rules: tuple[str, ...]


_UNSURE = ("likely", "vague")
"""Kinds of failures that say a class only."""
_FRAMEWORKS = ("torch", "torch_npu", "tbe", "te")
"""Packages that mostly refuse what others give them."""


def library_of(failure: Failure) -> str:
    """The installed package whose code met a failure that is known by its class at most; else empty."""
    if failure.name != UNKNOWN and failure.kind not in _UNSURE:
        return ""
    frames = (frame for frame in reversed(failure.frames) if frame.package not in _FRAMEWORKS)
    return next((frame.package for frame in frames), "")


def place_of(failure: Failure, project: Path | None, options: MigrationOptions) -> Place | None:
    """The innermost place of a failure's traceback that is code of the project.

    Without a project, the innermost that is of no library, and no rules.

    Raises:
        ProjectError: the project cannot be examined.
    """
    if project is None:
        own = next((frame for frame, owner in owned_frames(failure.frames) if owner == OWN), None)
        return Place(own.path, own.line, ()) if own is not None else None
    for frame in reversed(failure.frames):
        path = None if frame.is_installed else file_in_project(project, frame)
        if path is not None:
            return Place(str(path), frame.line, tuple(_rules_at(path, frame, options)))
    return None


def _rules_at(path: Path, frame: Frame, options: MigrationOptions) -> Iterator[str]:
    """The codes of what is found in the line, each once; none in the single file, which has no parser."""
    if find_spec("tree_sitter") is None:
        return
    from ...project.inspect.check import findings_at

    yield from (finding.code for finding in findings_at(path, frame.line, options))
