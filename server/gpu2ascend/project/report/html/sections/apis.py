"""APIs that the NPU does not have, or of which no list says whether it has them, with what to use instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .....texts.catalogue import Texts
from ...causes import Cause
from ..collect import PageCollector
from ..markup import Child, Html, element, joined, path_code, with_code
from ..model import RunFacts
from ..tables import Column, table
from .common import note, rule_link, section

_MAX_ROWS = 200
_KINDS = ("unsupported", "unknown", "cuda_op")


def apis(run: RunFacts, found: PageCollector, texts: Texts) -> Html | None:
    """The section; none where there is nothing to list."""
    causes = found.causes.in_order()
    of_kinds = [(kind, [cause for cause in causes if cause.about.kind == kind]) for kind in _KINDS]
    of_kinds.append(("restricted", list(found.restricted.in_order())))
    tables = [_table(kind, items, texts) for kind, items in of_kinds if items]
    if not tables:
        return None
    version = {"version": run.version, "hardware": run.hardware}
    return section("apis", texts("report.apis"), note(texts("report.apis-text", **version)), *tables)


def _table(kind: str, causes: Sequence[Cause], texts: Texts) -> Html:
    columns = (
        Column(texts("report.column-api"), "path"),
        Column(texts("report.column-count"), "number"),
        Column(texts("report.column-instead")),
        Column(texts("report.column-place"), "path"),
        Column(texts("report.column-rule")),
    )
    heading = texts(f"report.apis-{kind}", count=sum(cause.count for cause in causes))
    rows = (tuple(_cells(cause, texts)) for cause in causes[:_MAX_ROWS])
    left_out = len(causes) - _MAX_ROWS
    more = note(texts("report.rows-more", count=left_out)) if left_out > 0 else None
    listed = table(texts(f"report.apis-{kind}-caption"), columns, rows)
    if kind == "restricted":  # nothing has to be done about these
        return element("details", element("summary", heading), listed, more, class_="more")
    return joined((element("h3", heading), listed, more))


def _cells(cause: Cause, texts: Texts) -> Iterator[Child]:
    yield path_code(cause.about.api or "–")
    yield str(cause.count)
    offered = with_code(texts("report.offer-similar")) if cause.about.replaces else None
    yield joined(element("div", item) for item in (with_code(cause.text), offered) if item is not None)
    yield path_code(cause.place)
    yield rule_link(cause.code)
