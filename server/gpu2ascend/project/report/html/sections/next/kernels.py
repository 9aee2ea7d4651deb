"""The kernels that must be ported, each with its size, and the total."""

from __future__ import annotations

from ......texts.catalogue import Texts
from ...markup import Html, code, path_code
from ...model import RunFacts
from ...tables import Column, table
from ..common import note, section


def kernels(run: RunFacts, texts: Texts) -> Html | None:
    """The section; none where the project has no kernels."""
    chapter = run.kernels
    if chapter is None or not chapter.rows:
        return None
    columns = (
        Column(texts("report.column-where"), "path"),
        Column(texts("kernel.column-name")),
        Column(texts("kernel.column-lines"), "number"),
        Column(texts("kernel.column-made-of")),
        Column(texts("kernel.column-callers"), "path"),
        Column(texts("kernel.column-effort")),
        Column(texts("kernel.column-way")),
    )
    rows = (
        (path_code(row.place), code(row.name), str(row.lines), row.made_of, row.callers, row.effort, row.way)
        for row in chapter.rows
    )
    made = table(texts("kernel.caption"), columns, rows)
    return section("kernels", texts("report.kernels"), note(chapter.total), made)
