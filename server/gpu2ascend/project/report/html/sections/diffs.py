"""The differences of each changed file, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .....texts.catalogue import Texts
from ...hunks import Hunks, Row, common_prefix
from ..markup import Html, element, escaped, joined
from ..model import FileRecord
from .common import note


def differences(records: Iterable[FileRecord], texts: Texts) -> Iterator[Html]:
    """A piece of HTML for each file that has differences."""
    for record in records:
        if record.hunks is not None:
            yield _file(record, record.hunks, texts)


def _file(record: FileRecord, hunks: Hunks, texts: Texts) -> Html:
    count = element("span", texts("report.edits", count=record.edits), class_="count")
    path = element("span", record.path, class_="title path", translate="no")
    more = note(texts("report.diff-more", count=hunks.left_out)) if hunks.left_out else None
    parts = (element("tbody", *map(_row, part)) for part in hunks.parts)
    columns = element("colgroup", *(element("col", class_=name) for name in ("n", "s", "n", "s")))
    head = _head(texts)
    caption = element("caption", texts("report.diff-caption", path=record.path))
    whole = element("table", caption, columns, head, *parts, class_="diff", translate="no")
    body = element("div", whole, class_="scroll", role="region", aria_label=record.path, tabindex=0)
    return element("details", element("summary", path, count), body, more, id=f"diff-{record.number}")


def _head(texts: Texts) -> Html:
    line = texts("report.diff-line")
    titles = (line, texts("report.diff-before"), line, texts("report.diff-after"))
    return element("thead", element("tr", *(element("th", title, scope="col") for title in titles)))


def _row(row: Row) -> Html:
    if row.is_equal:
        line = escaped(row.before or "")
        return Html(f"<tr>{_side(row.old, line)}{_side(row.new, line)}</tr>")
    before, after = _marked(row.before, row.after)
    removed = _side(row.old, before, "r" if before is not None else "x")
    return Html(f"<tr>{removed}{_side(row.new, after, 'a' if after is not None else 'x')}</tr>")


def _side(number: int | None, line: Html | None, name: str = "") -> str:
    """The two cells of a line; most of a page is these, so that they are put together by hand."""
    kind = f' class="{name}"' if name else ""
    return f'<td class="n">{number or ""}</td><td{kind}>{line or ""}</td>'


def _marked(before: str | None, after: str | None) -> tuple[Html | None, Html | None]:
    """Both lines, what differs between them marked."""
    if before is None or after is None:
        removed = None if before is None else element("del", before)
        return removed, None if after is None else element("ins", after)
    start = common_prefix(before, after)
    end = common_prefix(before[start:][::-1], after[start:][::-1])
    return _middle("del", before, start, end), _middle("ins", after, start, end)


def _middle(name: str, line: str, start: int, end: int) -> Html:
    stop = len(line) - end
    changed = element(name, line[start:stop]) if stop > start else None
    return joined((line[:start], changed, line[stop:]))
