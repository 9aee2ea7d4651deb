"""What reads the values of options that are one of several: versions, targets, members of enumerations."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import Any

from ..model.finding import Message
from ..model.hardware import Hardware, hardware_named, is_for_inference
from ..model.versions import SUPPORTED_VERSIONS, UnknownVersionError, Version
from ..targets.registry import target_named, target_names
from ..targets.target import Target
from .choices import MINDSPORE_RELEASES, AnalysisMode
from .values import OptionError, as_count, as_flag, as_text, as_texts
from .version_choice import version_meant, why_unknown

Reader = Callable[[str, object], Any]
"""What makes a value of an option of plain data, given the option's name.

Raises:
    OptionError: the option does not take it.
"""


def reader_of(default: object) -> Reader:
    """What reads the values of an option, by its default."""
    if isinstance(default, enum.Enum):
        return as_member_of(type(default))
    return next((read for kind, read in _BY_TYPE.items() if isinstance(default, kind)), as_text)


def values_of(kind: type[enum.Enum]) -> tuple[str, ...]:
    """What may be chosen of an enumeration."""
    return tuple(str(member.value) for member in kind)


def known_versions() -> str:
    """The supported versions, as a message lists them."""
    return ", ".join(map(str, SUPPORTED_VERSIONS))


def as_version(name: str, value: object) -> Version:
    """A supported version of PyTorch."""
    spelling = as_text(name, value)
    try:
        return version_meant(spelling).version
    except UnknownVersionError as error:
        raise OptionError(name, why_unknown(spelling)) from error


def as_mindspore_version(name: str, value: object) -> Version:
    """A release of MindSpore, by its first two numbers."""
    spelling = as_text(name, value)
    parts = spelling.strip().removeprefix("v").split(".")[:2]
    for release in MINDSPORE_RELEASES:
        if parts == [str(release.major), str(release.minor)]:
            return release
    raise _no_choice(name, spelling, map(str, MINDSPORE_RELEASES))


def as_target(name: str, value: object) -> Target:
    """A target, by its name."""
    text = as_text(name, value)
    target = target_named(text)
    if target is None:
        raise _no_choice(name, text, target_names())
    return target


def as_modes(name: str, value: object) -> tuple[str, ...]:
    """What an analysis looks at."""
    member = as_member_of(AnalysisMode)
    return tuple(str(member(name, mode).value) for mode in as_texts(name, value))


def as_member_of(kind: type[enum.Enum]) -> Reader:
    """What reads a member of an enumeration by its value, and hardware by the name of a product too."""

    def read(name: str, value: object) -> enum.Enum:
        text = as_text(name, value)
        found = next((member for member in kind if str(member.value).lower() == text.lower()), None)
        if found is None and kind is Hardware:
            found = hardware_named(text)
        if found is None:
            is_known = kind is Hardware and is_for_inference(text)
            raise _no_choice(name, text, values_of(kind), "inference" if is_known else "choice")
        return found

    return read


def _no_choice(name: str, value: str, choices: Iterable[str], error: str = "choice") -> OptionError:
    return OptionError(name, Message.of(f"option.error.{error}", value=value, choices=", ".join(choices)))


_BY_TYPE: dict[type, Reader] = {Target: as_target, bool: as_flag, tuple: as_texts, int: as_count}
