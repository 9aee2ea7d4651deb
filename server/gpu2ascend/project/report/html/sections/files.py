"""The files: a picture of those with something in them, and a table with the share of each."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from .....texts.catalogue import Texts
from ..charts import Area, areas, small_bar
from ..collect import PageCollector
from ..markup import Child, Html, element, joined, path_code
from ..model import FileRecord, FileState
from ..tables import columns, table
from .common import method, note, section, state_badge

MAX_FILES = 1_000
"""Files in the table."""
_MAX_AREAS = 150
_GRAVITY = {state: number for number, state in enumerate(FileState)}


def files(found: PageCollector, texts: Texts, diffs: str) -> Html:
    """The section.

    Args:
        diffs: The name of the page with the differences; empty where it is this one.
    """
    shown, count = _gravest(found.records)
    untouched = note(texts("report.files-untouched", count=found.states[FileState.UNTOUCHED]))
    if not shown:
        return section("files", texts("report.files"), untouched)
    left_out = count - len(shown)
    more = note(texts("report.files-more", count=left_out)) if left_out else None
    body = (_picture(shown, texts), _table(shown, texts, diffs), more, untouched)
    return section("files", texts("report.files"), *body, method(texts("report.files-method"), texts))


def _gravest(records: Iterable[FileRecord]) -> tuple[list[FileRecord], int]:
    """The files with the most to do first; of a large project not all. Also how many there are."""
    count = 0

    def counted() -> Iterator[FileRecord]:
        nonlocal count
        for record in records:
            count += 1
            yield record._replace(hunks=None)

    return heapq.nsmallest(MAX_FILES, counted(), key=_rank), count


def _rank(record: FileRecord) -> tuple[int, int, int, str]:
    return _GRAVITY[record.state], -record.left, -record.edits, record.path


def _picture(records: Sequence[FileRecord], texts: Texts) -> Html | None:
    largest = sorted((item for item in records if item.places), key=lambda item: (-item.places, item.path))
    chosen = largest[:_MAX_AREAS]
    if len(chosen) < 2:
        return None
    drawn = [Area(item.state.value, _base(item.path), _title(item, texts), item.places) for item in chosen]
    states = {record.state for record in chosen}
    legend = (
        element("li", element("span", class_=f"swatch {state.value}"), texts(f"report.state-{state.value}"))
        for state in FileState
        if state in states
    )
    caption = texts("report.areas", count=len(chosen))
    return element(
        "figure",
        element("figcaption", caption),
        areas(drawn, f"{caption} {texts('report.areas-text')}"),
        element("ul", *legend, class_="legend"),
    )


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _title(record: FileRecord, texts: Texts) -> str:
    return texts("report.area", path=record.path, edits=record.edits, left=record.left)


def _table(records: Sequence[FileRecord], texts: Texts, diffs: str) -> Html:
    head = columns(
        texts,
        "report.column-{}",
        "file:path state edits:number errors:number open:number hints:number share:share",
    )
    rows = (tuple(_cells(record, texts, diffs)) for record in records)
    return table(texts("report.files-caption"), head, rows, "files")


def _cells(record: FileRecord, texts: Texts, diffs: str) -> Iterator[Child]:
    path = path_code(record.path)
    yield element("a", path, href=f"{diffs}#diff-{record.number}") if record.number else path
    yield state_badge(record.state, texts)
    for number in (record.edits, record.errors, record.open + record.kernels, record.hints):
        yield str(number) if number else element("span", "0", class_="zero")
    share = record.share
    if share is None:
        yield "–"
    else:
        yield joined((small_bar(record.edits, record.errors, record.places), f" {share} %"))
