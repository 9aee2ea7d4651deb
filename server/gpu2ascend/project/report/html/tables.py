"""Tables with a caption and headings, which a screen reader can find its way in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ....texts.catalogue import Texts
from .markup import Child, Html, element


class Column(NamedTuple):
    """A column of a table."""

    title: str
    kind: str = ""
    """How its cells are set: ``number``, ``path`` or as text."""


def columns(texts: Texts, title: str, spelled: str) -> tuple[Column, ...]:
    """Columns by the names in the ids of their titles, each with its kind: ``api:path count:number rule``."""
    parts = (item.partition(":") for item in spelled.split())
    return tuple(Column(texts(title.format(name)), kind) for name, _, kind in parts)


def table(caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Child]], class_: str = "") -> Html:
    """A table; the first cell of a row is the heading of the row."""
    head = element("tr", *(element("th", item.title, scope="col", class_=_class(item)) for item in columns))
    body = (_row(columns, cells) for cells in rows)
    whole = element(
        "table",
        element("caption", caption),
        element("thead", head),
        element("tbody", *body),
        class_=class_ or None,
    )
    return element("div", whole, class_="scroll", role="region", aria_label=caption, tabindex=0)


def _row(columns: Sequence[Column], cells: Sequence[Child]) -> Html:
    first, *others = zip(columns, cells, strict=True)
    heading = element("th", first[1], scope="row", class_=_class(first[0]))
    return element("tr", heading, *(element("td", cell, class_=_class(item)) for item, cell in others))


def _class(column: Column) -> str | None:
    return column.kind or None
