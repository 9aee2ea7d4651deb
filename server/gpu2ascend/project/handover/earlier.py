"""The orders that the last migration left, which of them are done, and which people have ticked."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ..manifest.marker import ORDERS_NAME, read_marker
from ..manifest.report_names import ORDERS
from ..manifest.ticks import ticked
from ..regular_files import read_inside
from .left import LARGEST


class Known(NamedTuple):
    """An order of an earlier document."""

    id: str
    title: str


class Earlier(NamedTuple):
    """The documents of the last migration."""

    orders: tuple[Known, ...] = ()
    unread: frozenset[str] = frozenset()
    """Files that could not be examined then."""
    paths: Mapping[str, frozenset[str]] = MappingProxyType({})
    """The files of an order, where all of its places were listed."""
    ticked: frozenset[str] = frozenset()
    """The orders that people have ticked in the document for people."""

    @property
    def names(self) -> frozenset[str]:
        """The orders of the document."""
        return frozenset(order.id for order in self.orders)

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


NOTHING = Earlier()
"""No document."""


def earlier_of(directory: Path) -> Earlier:
    """What the last migration of a project has left in it."""
    marker = read_marker(directory)
    names = () if marker is None else (name for name in marker.reports if name.startswith(ORDERS))
    document = next(iter(names), None)
    ticks = ticked(_content(directory, document)) if document is not None else frozenset()
    return _of_programs(_content(directory, ORDERS_NAME))._replace(ticked=ticks)


def _content(directory: Path, name: str) -> bytes:
    try:
        return read_inside(directory, directory / name, LARGEST)
    except OSError:
        return b""


def _of_programs(content: bytes) -> Earlier:
    """The document for programs; :data:`NOTHING` where the text is no document."""
    try:
        document = json.loads(content)
        orders = tuple(Known(_text(item["id"]), _text(item["title"])) for item in document["orders"])
        unread = frozenset(_text(item["path"]) for item in document["not_examined"])
        whole = [item for item in document["orders"] if item["total"] == len(item["places"])]
        paths = {item["id"]: frozenset(_text(place["path"]) for place in item["places"]) for item in whole}
    except (ValueError, LookupError, TypeError, RecursionError):
        return NOTHING
    return Earlier(orders, unread, paths)


def _text(given: object) -> str:
    """A text. Raises TypeError: it is anything else."""
    if not isinstance(given, str):
        raise TypeError(given)
    return given
