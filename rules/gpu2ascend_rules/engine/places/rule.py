"""A rule for files of kinds beside Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Protocol, TypeVar

from ...model.finding import Finding, Fix, Severity
from ..rule import Handler, Rule, effective

_H = TypeVar("_H", bound=Callable[..., Iterator[Finding]])


class HasSpan(Protocol):
    """A part of a text, by byte offsets; the end is exclusive."""

    @property
    def start(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where it ends."""


def on_place(*places: type) -> Callable[[_H], _H]:
    """The decorator by which a rule's method asks for the places of these classes."""

    def mark(handler: _H) -> _H:
        handler.places = places  # type: ignore[attr-defined]
        return handler

    return mark


class PlaceRule(Rule):
    """Base class of the rules for kinds beside Python; see :class:`..rule.Rule` for what every rule has."""

    words: ClassVar[tuple[str, ...]]
    """In lower case: a file that holds none of them, in any case of letters, has nothing for the rule."""

    def place_handlers(self) -> Iterator[tuple[type, Handler]]:
        """The rule's handlers with what each wants."""
        for attribute in dir(type(self)):
            handler = getattr(self, attribute, None)
            for place in getattr(handler, "places", ()):
                yield place, handler  # type: ignore[misc]

    def found(
        self,
        place: HasSpan,
        key: str,
        severity: Severity,
        *,
        fix: Fix | None = None,
        kind: str = "",
        **arguments: Any,
    ) -> Finding:
        """A finding on a place, with this rule's message ``key`` filled with ``arguments``."""
        message = self.message(key, **arguments)
        fix = effective(fix)
        severity = self.severity(key, severity, fix)
        return Finding(self.code, place.start, place.end, message, severity, fix, kind=kind)
