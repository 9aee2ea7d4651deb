"""How much is left: lines, classes of effort and hours, of the project and of each entry."""

from __future__ import annotations

from .....texts.catalogue import Texts
from ....paths import shown
from ...effort.classes import Effort
from ...effort.described import hours_text, method_text, total_text
from ...effort.work import Left
from ..markup import Html, element
from ..model import RunFacts
from ..tables import Column, table
from .common import method, section


def effort(run: RunFacts, texts: Texts) -> Html | None:
    """The section; none where nothing is left and nothing was edited."""
    work = run.work
    if work is None or not (work.edited or any(work.left.causes.values())):
        return None
    rows = [_row(texts("effort.whole"), work.left)]
    rows += [_row(shown(entry), left) for entry, left in work.entries.items()]
    columns = (
        Column(texts("effort.of"), "path"),
        Column(texts("effort.review"), "number"),
        Column(texts("effort.write"), "number"),
        *(Column(texts(f"handover.effort-{item.value}"), "number") for item in Effort),
        Column(texts("effort.range"), "number"),
    )
    return section(
        "effort",
        texts("report.effort"),
        element("p", total_text(work, texts)),
        element("p", hours_text(work.left, texts)),
        method(method_text(texts), texts),
        table(texts("effort.table"), columns, rows),
    )


def _row(name: str, left: Left) -> tuple[str, ...]:
    counts = (left.review, left.write, *(left.causes[item] for item in Effort))
    least, most = left.hours
    return (name, *map(str, counts), f"{least:g}–{most:g}")
