"""What was not examined, and why: nobody should take silence for success."""

from __future__ import annotations

import heapq

from .....texts.catalogue import Texts
from ..collect import PageCollector
from ..markup import Html, element, joined, path_code, with_code
from ..model import FileState, RunFacts
from ..tables import columns, table
from .common import badge, more_rows, note, section

_MAX_FILES = 200


def unexamined(run: RunFacts, found: PageCollector, texts: Texts) -> Html:
    """The section."""
    parts = (
        _troubled(run, found, texts),
        _kinds(found, texts),
        _notes(found, texts),
        _unresolved(run, texts),
    )
    present = [part for part in parts if part is not None]
    nothing = None if present else note(texts("report.unexamined-nothing"))
    return section("unexamined", texts("report.unexamined-title"), *present, nothing)


def _troubled(run: RunFacts, found: PageCollector, texts: Texts) -> Html | None:
    count = run.summary.troubled_files
    if not count:
        return None
    troubled = (record for record in found.records if record.state is FileState.TROUBLED)
    shown = heapq.nsmallest(_MAX_FILES, troubled, key=lambda record: record.path)
    head = columns(texts, "report.column-{}", "file:path why")
    rows = ((path_code(record.path), with_code(record.problem or "–")) for record in shown)
    heading = element("h3", texts("report.troubled", count=count))
    more = more_rows(count - len(shown), texts)
    return joined((heading, table(texts("report.troubled-caption"), head, rows), more))


def _kinds(found: PageCollector, texts: Texts) -> Html | None:
    kinds = found.unexamined.in_order()
    if not kinds:
        return None
    head = columns(texts, "report.column-{}", "kind count:number matters files:path")
    rows = []
    for item in kinds:
        names = joined((path_code(name) for name in item.names), ", ")
        more = item.count - len(item.names)
        rest = f", {texts('report.more-places', count=more)}" if more else None
        matters = "report.matters" if item.kind.may_matter else "report.matters-not"
        kind = texts(f"report.kind-{item.kind.value}")
        colour = "open" if item.kind.may_matter else "untouched"
        rows.append((kind, str(item.count), badge(colour, texts(matters)), joined((names, rest))))
    heading = element("h3", texts("report.others", count=sum(item.count for item in kinds)))
    intro = note(texts("report.others-text"))
    return joined((heading, intro, table(texts("report.others-caption"), head, rows)))


def _notes(found: PageCollector, texts: Texts) -> Html | None:
    if not found.note_count:
        return None
    heading = element("h3", texts("report.left-out", count=found.note_count))
    more = found.note_count - len(found.notes)
    rest = element("li", texts("report.more-places", count=more)) if more else None
    items = (element("li", text) for text in found.notes)
    return joined((heading, element("ul", *items, rest)))


def _unresolved(run: RunFacts, texts: Texts) -> Html | None:
    if not run.summary.unresolved:
        return None
    heading = element("h3", texts("report.unresolved", count=run.summary.unresolved))
    return joined((heading, note(texts("report.unresolved-text"))))
