"""The orders that a migration left, and which of them are done."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple


class Known(NamedTuple):
    """An order of an earlier document."""

    id: str
    title: str


class Earlier(NamedTuple):
    """An earlier document."""

    orders: tuple[Known, ...]
    unread: frozenset[str]
    """Files that could not be examined then."""
    paths: Mapping[str, frozenset[str]]
    """The files of an order, where all of its places were listed."""

    def done(self, left: Collection[str], unread: frozenset[str]) -> tuple[Known, ...]:
        """The orders that are done: none of their findings is left, and no file may hide one.

        Args:
            left: The ids of the orders that are left.
            unread: The files that cannot be examined now.
        """
        gone = (order for order in self.orders if order.id not in left)
        return tuple(order for order in gone if not self.hiding(order.id, unread))

    def hiding(self, name: str, unread: frozenset[str]) -> frozenset[str]:
        """The files that were examined then and cannot be now, in which something of an order may be left."""
        return (unread - self.unread) & self.paths.get(name, unread)


NOTHING = Earlier((), frozenset(), {})
"""No document."""


def earlier_of(content: bytes) -> Earlier:
    """A document that a migration wrote; :data:`NOTHING` where it is none."""
    try:
        document = json.loads(content)
        orders = tuple(Known(_text(item["id"]), _text(item["title"])) for item in document["orders"])
        unread = frozenset(_text(item["path"]) for item in document["not_examined"])
        whole = [item for item in document["orders"] if item["total"] == len(item["places"])]
        paths = {item["id"]: _paths(item) for item in whole}
    except (ValueError, LookupError, TypeError, RecursionError):
        return NOTHING
    return Earlier(orders, unread, paths)


def _paths(order: dict[str, Any]) -> frozenset[str]:
    return frozenset(_text(place["path"]) for place in order["places"])


def _text(given: object) -> str:
    """A text, which nothing else may stand for.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(given, str):
        raise TypeError(given)
    return given
