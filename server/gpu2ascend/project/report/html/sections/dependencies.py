"""What the project depends on, before and after."""

from __future__ import annotations

from .....texts.catalogue import Texts
from ..collect import PageCollector
from ..markup import Html, code, element, joined, path_code, with_code
from ..model import DependencyChange
from ..tables import Column, table
from .common import note, rule_link, section


def dependencies(found: PageCollector, texts: Texts) -> Html | None:
    """The section; none where nothing was found about dependencies."""
    changes = found.dependencies
    if not changes:
        return None
    columns = (
        Column(texts("report.column-where"), "path"),
        Column(texts("report.column-before"), "path"),
        Column(texts("report.column-after"), "path"),
        Column(texts("report.column-why")),
    )
    rows = (_cells(change, texts) for change in changes)
    left_out = found.dependency_count - len(changes)
    more = note(texts("report.rows-more", count=left_out)) if left_out else None
    title = texts("report.dependencies")
    return section("dependencies", title, table(texts("report.dependencies-caption"), columns, rows), more)


def _cells(change: DependencyChange, texts: Texts) -> tuple[Html, Html, Html, Html]:
    why = joined((with_code(change.text), " ", rule_link(change.code)))
    if not change.before and not change.after:
        nothing = element("span", texts("report.unchanged"), class_="zero")
        return path_code(change.place), nothing, nothing, why
    return path_code(change.place), _lines(change.before), _lines(change.after), why


def _lines(text: str) -> Html:
    return joined(element("div", code(line)) for line in text.split("\n"))
