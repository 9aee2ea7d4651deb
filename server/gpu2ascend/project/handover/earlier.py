"""What the last migration left to do in a project, and what of it people have ticked."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..manifest.marker import ORDERS_NAME, read_marker
from ..manifest.report_names import ORDERS
from ..manifest.ticks import ticked
from ..regular_files import read_inside
from .left import LARGEST


class Earlier(NamedTuple):
    """The documents of the last migration."""

    orders: bytes = b""
    """Those for programs; empty where there are none."""
    ticked: frozenset[str] = frozenset()
    """The orders that people have ticked in that for people."""


def earlier_of(directory: Path) -> Earlier:
    """What the last migration of a project has left in it."""
    marker = read_marker(directory)
    names = () if marker is None else (name for name in marker.reports if name.startswith(ORDERS))
    document = next(iter(names), None)
    ticks = ticked(_text(directory, document)) if document is not None else frozenset()
    return Earlier(_text(directory, ORDERS_NAME), ticks)


def _text(directory: Path, name: str) -> bytes:
    try:
        return read_inside(directory, directory / name, LARGEST)
    except OSError:
        return b""
