"""The figures of :mod:`.work` as texts and as data, the same in every document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ....texts.catalogue import Texts
from ...paths import shown
from ..verdict.verdict import NAMED
from .classes import Effort
from .work import RATES, Left, Work


def work_lines(work: Work, texts: Texts) -> Iterator[str]:
    """What is left, the hours with their method, and each entry if there are several."""
    yield total_text(work, texts)
    if any(work.left.causes.values()):
        yield hours_text(work.left, texts)
        yield method_text(texts)
    if len(work.entries) > 1:
        for entry, left in islice(work.entries.items(), NAMED):
            yield texts("effort.entry", entry=shown(entry), **_given(left))
        if len(work.entries) > NAMED:
            yield "  " + texts("report.more-entries", count=len(work.entries) - NAMED)


def total_text(work: Work, texts: Texts) -> str:
    """The lines and the causes of a project."""
    name = "effort.total" if work.edited is not None else "effort.left"
    return texts(name, edited=work.edited, **_given(work.left))


def hours_text(left: Left, texts: Texts) -> str:
    """The range."""
    return texts("effort.hours", **_given(left))


def method_text(texts: Texts) -> str:
    """How the hours are made."""
    given = {
        f"{effort.value}_{part}": f"{_number(rate.least)}–{_number(rate.most)}"
        for effort, both in RATES.items()
        for part, rate in (("first", both.first), ("further", both.further))
    }
    return texts("effort.method", **given)


def _given(left: Left) -> dict[str, object]:
    least, most = (_number(hours) for hours in left.hours)
    counts = {f"{effort.value}_causes": left.causes[effort] for effort in Effort}
    return {"review": left.review, "write": left.write, "least": least, "most": most, **counts}


def _number(value: float) -> str:
    return f"{value:g}"


def work_data(work: Work, texts: Texts) -> dict[str, Any]:
    """The same for programs."""
    edited = {} if work.edited is None else {"lines_edited": work.edited}
    return {
        **edited,
        **_data(work.left),
        "method": method_text(texts),
        "entries": [{"entry": shown(entry), **_data(left)} for entry, left in work.entries.items()],
    }


def _data(left: Left) -> dict[str, Any]:
    return {
        "lines_to_review": left.review,
        "lines_to_write": left.write,
        "causes": {effort.value: left.causes[effort] for effort in Effort},
        "hours": {"least": left.hours[0], "most": left.hours[1]},
    }
