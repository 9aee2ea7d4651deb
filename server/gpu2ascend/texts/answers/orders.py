"""Work orders, as tools answer them."""

from __future__ import annotations

import json
from collections import Counter
from typing import NamedTuple

from .budget import BUDGET, clipped, fitting, tokens
from .findings import JsonObject

_PLACES = 5
"""Places of an order in a list of orders."""
_HEAD = 250
"""Tokens of what comes before the orders."""
_KNOWN = 5
"""Lines of what is known of an API."""
_NAMED = 5
"""Done orders, and files that were not read, that an answer names."""
_CODE, _TEXT, _WHOLE = 60, 160, 300
"""Tokens of a line of code, of a text, and of a text of the one order that is asked for."""
_RULES = 20
"""Rules that are counted."""
_FIELDS = (
    "id", "code", "severity", "effort", "effort_because", "on_the_way", "api", "replacement", "fix", "check",
    "verify", "compare", "total",
)  # fmt: skip
_TEXTS = ("title", "message", "why", "write", "pattern")


class UnknownOrder(Exception):
    """There is no such order, or nobody can say whether it is done. The text says what there is."""


class Asked(NamedTuple):
    """Which orders are wanted."""

    order: str | None = None
    """The id of the one with all of its places; None for all orders."""
    offset: int = 0
    """Of orders; of one order, of its places."""
    limit: int = 3
    """The most orders."""


def orders_answer(document: JsonObject, project: str, original: str | None, asked: Asked) -> JsonObject:
    """Orders of a document of work orders, the next one first.

    Args:
        original: The project before the migration; None where it is not known or out of reach.

    Raises:
        UnknownOrder: the one that is asked for is not known.
    """
    orders = document["orders"]
    done = [_named(item) for item in document["done"][:_NAMED]]
    unread = [
        {"path": item["path"], "reason": clipped(item["reason"], _CODE)}
        for item in document["not_examined"][:_NAMED]
    ]
    if asked.order is None:
        budget = BUDGET - _HEAD - sum(_size(item) for item in (*done, *unread))
        shown, following = fitting(list(map(_short, orders)), asked.offset, asked.limit, dict, budget)
    else:
        shown, following = _with_places(asked.order, document, asked.offset)
        done = [_named(item) for item in document["done"] if item["id"] == asked.order]
    return {
        "project": project,
        "original": original,
        "version": document["torch"],
        "hardware": document["hardware"],
        "total": len(orders),
        "by_rule": dict(Counter(item["code"] for item in orders).most_common(_RULES)),
        "orders": shown,
        "done": done,
        "total_done": len(document["done"]),
        "not_examined": unread,
        "total_not_examined": len(document["not_examined"]),
        "next_offset": following,
    }


def _with_places(name: str, document: JsonObject, offset: int) -> tuple[list[JsonObject], int | None]:
    """An order with its places from an offset on, as many as fit; none of one that is done.
    Raises UnknownOrder: nobody knows of one of this name, or whether it is done."""
    orders = document["orders"]
    found = next((item for item in orders if item["id"] == name), None)
    if found is None:
        if any(item["id"] == name for item in document["done"]):
            return [], None
        unread = ", ".join(item["path"] for item in document["not_examined"][:_NAMED])
        hidden = f" Files that cannot be examined may hide it: {unread}." if unread else ""
        known = ", ".join(item["id"] for item in orders[:_NAMED]) or "none"
        raise UnknownOrder(f"There is no order {name}.{hidden} Orders: {known}")
    shortened = _short({**found, "places": []}, _WHOLE)
    places = list(map(_place, found["places"]))
    shown, following = fitting(places, offset, len(places), dict, BUDGET - _HEAD - _size(shortened))
    return [{**shortened, "places": shown}], following


def _size(item: JsonObject) -> int:
    return tokens(json.dumps(item, ensure_ascii=False))


def _named(item: JsonObject) -> JsonObject:
    return {"id": item["id"], "title": clipped(item["title"], _CODE)}


def _place(item: JsonObject) -> JsonObject:
    return {**item, "code": clipped(item["code"], _CODE)}


def _short(item: JsonObject, text: int = _TEXT) -> JsonObject:
    return {
        **{name: item[name] for name in _FIELDS},
        **{name: clipped(item[name], text) for name in _TEXTS},
        "known": [clipped(line, text) for line in item["known"][:_KNOWN]],
        "places": list(map(_place, item["places"][:_PLACES])),
    }
