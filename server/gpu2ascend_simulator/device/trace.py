"""Which operators ran on the device, how often, and from which line of the project first.

Also what was met on the way: data types that the device refuses, tensors of two devices.
"""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


class Line(NamedTuple):
    """A line of the project's code."""

    path: str
    number: int


@dataclass
class Use:
    """What is known of one operator.

    Attributes:
        name: its qualified name with its overload, such as ``aten::add.Tensor``.
        count: how often it ran.
        first: the line of the project that asked for it first; None where none did.
    """

    name: str
    count: int = 0
    first: Line | None = None


class Refusal(NamedTuple):
    """Something that the real device refuses or handles differently.

    Attributes:
        kind: ``dtype``, ``mixed`` or ``unsupported``.
        operator: the qualified name of the operator, or what is unsupported.
        detail: the data type, the devices, or nothing.
        line: the line of the project that asked for it; None where none did.
    """

    kind: str
    operator: str
    detail: str
    line: Line | None


@dataclass
class Trace:
    """Everything recorded in this process."""

    uses: dict[str, Use] = field(default_factory=dict)
    refusals: dict[Refusal, int] = field(default_factory=dict)
    roots: tuple[str, ...] = ()


RECORDED = Trace()


def follow(*roots: Path) -> None:
    """Declares the directories whose files are the project's; none means every file but libraries."""
    RECORDED.roots = tuple(str(root.resolve()) for root in roots)


def uses() -> tuple[Use, ...]:
    """The operators that ran, by name."""
    return tuple(sorted((use for use in RECORDED.uses.values() if use.count), key=lambda use: use.name))


def refusals() -> tuple[tuple[Refusal, int], ...]:
    """What the device refused or reported, in the order met, each with how often."""
    return tuple(RECORDED.refusals.items())


def clear() -> None:
    """Forgets what was recorded."""
    for use in RECORDED.uses.values():
        use.count, use.first = 0, None
    RECORDED.refusals.clear()


def use_of(name: str) -> Use:
    """The entry of an operator."""
    return RECORDED.uses.setdefault(name, Use(name))


def record_refusal(kind: str, operator: str, detail: str) -> None:
    """Records something that the real device refuses, at the line of the project that asks for it."""
    refusal = Refusal(kind, operator, detail, project_line())
    RECORDED.refusals[refusal] = RECORDED.refusals.get(refusal, 0) + 1


def project_line() -> Line | None:
    """The innermost line of the project on the stack; None where there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if _is_of_project(path):
            return Line(path, frame.f_lineno)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return None


_LIBRARIES = ("site-packages", "dist-packages")
_OURS = str(Path(__file__).parents[1])
_STANDARD_LIBRARY = str(Path(dataclasses.__file__).parent)


def _is_of_project(path: str) -> bool:
    if path.startswith(("<", _OURS)):
        return False
    if RECORDED.roots:
        return str(Path(path).absolute()).startswith(RECORDED.roots) and not _is_library(path)
    return not path.startswith(_STANDARD_LIBRARY) and not _is_library(path)


def _is_library(path: str) -> bool:
    return any(part in path for part in _LIBRARIES)
