"""What comes of two traces, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...project.paths import shown
from ...texts.catalogue import Texts
from .differing import Compared, Difference
from .trace import Event

_MOST_VALUES = 8
_MOST_MISSING = 1000


def difference_lines(compared: Compared, texts: Texts) -> Iterator[str]:
    """The first tensor that differs, and what only one trace has."""
    if compared.difference is not None:
        yield from _difference(compared.difference, texts)
        yield texts("trace.differing", count=compared.differing, common=compared.common)
    elif compared.is_same:
        yield texts("trace.same", count=compared.common)
    elif not compared.common:
        yield texts("trace.nothing-common")
    else:
        yield texts("trace.common-same", count=compared.common)
    for which, events in (("first", compared.only_first), ("second", compared.only_second)):
        if events:
            event = events[0]
            given = {"what": _named(event, texts), "step": event.step + 1, "place": _line(event)}
            yield texts(f"trace.only-{which}", count=len(events), **given)
    if compared.unread:
        yield texts("trace.unread", count=compared.unread)
    if compared.is_truncated:
        yield texts("trace.truncated")


def _difference(found: Difference, texts: Texts) -> Iterator[str]:
    one, other = found.first, found.second
    yield texts("trace.first", what=_named(one, texts), step=one.step + 1)
    yield "  " + texts("trace.how", what=texts(f"trace.of.{found.what}"), one=found.one, other=found.other)
    if one.values and other.values:
        yield "  " + texts("trace.values", one=_numbers(one.values), other=_numbers(other.values))
    for key in ("line", "made"):
        places = [shown(place) for place in (getattr(one, key), getattr(other, key)) if place is not None]
        if places:
            yield "  " + texts(f"trace.{key}", places=" | ".join(dict.fromkeys(places)))


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.6g}" for value in values[:_MOST_VALUES])


def _named(event: Event, texts: Texts) -> str:
    type_name = f" ({event.type})" if event.type is not None else ""
    return shown(texts(f"trace.kind.{event.kind}", name=event.name + type_name, index=event.index))


def _line(event: Event) -> str:
    return shown(event.line) if event.line is not None else "-"


def difference_document(compared: Compared) -> dict[str, Any]:
    """The same for programs."""
    found = compared.difference
    return {
        "same": compared.is_same,
        "common": compared.common,
        "differing": compared.differing,
        "not_compared": compared.unread,
        "first_difference": None
        if found is None
        else {
            "what": found.what,
            "first": _event(found.first, found.one),
            "second": _event(found.second, found.other),
        },
        "only_in_first": [_event(event, None) for event in compared.only_first[:_MOST_MISSING]],
        "only_in_second": [_event(event, None) for event in compared.only_second[:_MOST_MISSING]],
        "truncated": compared.is_truncated,
    }


def _event(event: Event, value: str | None) -> dict[str, Any]:
    described: dict[str, Any] = {
        "kind": event.kind,
        "name": shown(event.name),
        "index": event.index,
        "step": event.step + 1,
        "type": shown(event.type) if event.type is not None else None,
        "line": shown(event.line) if event.line is not None else None,
        "made": shown(event.made) if event.made is not None else None,
    }
    return described if value is None else {**described, "value": value}
