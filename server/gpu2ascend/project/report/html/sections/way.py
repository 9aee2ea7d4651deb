"""The section on the ways of reaching the target: notes on each, and what each leaves here."""

from __future__ import annotations

from collections.abc import Iterator

from .....texts.catalogue import Texts
from ..markup import Child, Html, element, path_code, with_code
from ..model import RunFacts, WayFacts
from ..tables import Column, table
from .common import section

_ROWS = ("changed_files", "edits", "errors", "warnings", "information")
_SHOWN = 40
"""Places of a way that the page names for each rule."""


def way(run: RunFacts, texts: Texts) -> Html | None:
    """What is said of this way beside others, where the target has several."""
    if not run.route.notes:
        return None
    items = (element("li", with_code(texts(note_id))) for note_id in run.route.notes)
    numbers = _numbers(run.ways, texts) if run.ways else None
    left = (_left(item, texts) for item in run.ways)
    return section("way", texts("report.way"), numbers, *left, element("ul", *items))


def _numbers(ways: tuple[WayFacts, ...], texts: Texts) -> Html:
    columns = (Column(""), *(Column(texts(item.title_id), "number") for item in ways))
    rows = [
        (texts(f"report.way-{name}"), *(str(getattr(item.summary, name)) for item in ways)) for name in _ROWS
    ]
    return table(texts("report.way-numbers"), columns, rows)


def _left(item: WayFacts, texts: Texts) -> Html | None:
    """The errors and warnings that a way leaves, by rule and place."""
    if not item.left:
        return None
    summary = element("summary", texts("report.way-left", way=texts(item.title_id)))
    return element("details", summary, element("ul", *_rules(item, texts)))


def _rules(item: WayFacts, texts: Texts) -> Iterator[Html]:
    for code, places in sorted(item.left.items()):
        named: list[Child] = []
        for place in places[:_SHOWN]:
            named += [", " if named else " ", path_code(place)]
        more = len(places) - _SHOWN
        rest = f", {texts('report.more-places', count=more)}" if more > 0 else ""
        yield element("li", element("span", code, translate="no"), f" ({len(places)}):", *named, rest)
