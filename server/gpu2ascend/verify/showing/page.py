"""The part of a migrated project's report page that says what a run showed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timezone

from ...project.paths import shown
from ...project.report.html.charts import small_bar
from ...project.report.html.markup import Child, Html, code, element, joined, listed, path_code, with_code
from ...project.report.html.sections.common import note
from ...project.report.html.tables import Column, columns, table
from ...texts.catalogue import Texts
from ...texts.shell import shell_line
from ..result.coverage import ranges
from ..result.model import FileCoverage, Place, VerifyResult
from ..running.supervise import Ending
from .lines import (
    at_place,
    comparison_lines,
    device_text,
    explanation_lines,
    first_lines,
    losses_text,
    made_up_lines,
    refusal_text,
    verdict_colour,
    verdict_text,
    where,
)

_COLUMN = "report.verification-column-{}"
_FILES = 200
"""Files in the table; those with the most lines that did not run come first."""
_NAMES = 50
"""Files that were not loaded, operators, and refusals that are named."""
_RANKS = 16
_CALLS = 20
"""Lines of a traceback, the innermost."""
_MISSED = 400
_STACK = 4_000
"""Characters of the lines of a file, and of the stacks of a rank."""
_STATES = {"green": "migrated", "yellow": "open", "red": "blocked"}
"""The class of each colour of a verdict."""


def verification_content(result: VerifyResult, at: float, texts: Texts) -> list[Child]:
    """What the part holds. Its length has a limit, whatever ran.

    Args:
        at: When the run ended, in seconds since the epoch.
    """
    return [
        _verdict(result, texts),
        _ran(result, at, texts),
        *_error(result, texts),
        *_stacks(result, texts),
        *_training(result, texts),
        *_coverage(result, texts),
        *_operators(result, texts),
        *_refusals(result, texts),
        *(element("p", element("strong", line)) for line in made_up_lines(result, texts)),
        element("p", with_code(device_text(result, texts))),
        _heading(texts, "expect"),
        listed(with_code(texts.of(message)) for message in result.differences),
    ]


def _verdict(result: VerifyResult, texts: Texts) -> Html:
    text = element("p", element("strong", verdict_text(result, texts)))
    return element("div", text, class_=f"verdict {_STATES[verdict_colour(result)]}")


def _ran(result: VerifyResult, at: float, texts: Texts) -> Html:
    summary = texts(
        "report.verification-ran",
        command=_short(shell_line(*result.command)),
        torch=result.torch,
        python=result.python,
        version=result.version,
        seconds=f"{result.seconds:.1f}",
        time=datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    )
    return element("p", with_code(summary), " ", texts("report.verification-changed"))


def _error(result: VerifyResult, texts: Texts) -> Iterator[Child]:
    failure = result.failure
    if failure is None:
        return
    yield _heading(texts, "error")
    said = joined((element("strong", failure.type), ": ", first_lines(failure.text)))
    rank = texts("report.verification-rank", rank=failure.rank) if result.asked_ranks > 1 else None
    yield element("p", _place(failure.place), " ", said, " ", rank)
    if len(failure.traceback) > 1:
        calls = (texts("verify.called", place=where(at), function=at.function) for at in failure.traceback)
        yield element("pre", element("code", "\n".join([*calls][:-1][-_CALLS:])), translate="no", tabindex=0)
    yield listed(with_code(line.strip()) for line in explanation_lines(failure, texts))


def _stacks(result: VerifyResult, texts: Texts) -> Iterator[Child]:
    if result.ending is Ending.TIMEOUT:
        for rank in result.ranks[:_RANKS]:
            yield element("p", texts("verify.stacks", rank=rank.rank))
            yield element("pre", element("code", rank.stacks[-_STACK:]), translate="no", tabindex=0)


def _training(result: VerifyResult, texts: Texts) -> Iterator[Child]:
    yield _heading(texts, "training")
    head = columns(texts, _COLUMN, "rank steps:number losses")
    rows = (
        (str(rank.rank), str(rank.steps), losses_text(rank.losses, texts)) for rank in result.ranks[:_RANKS]
    )
    yield table(texts("report.verification-training"), head, rows)
    if result.seconds_per_step is not None:
        yield note(texts("verify.time", seconds=f"{result.seconds_per_step:.3g}"))
    yield from (element("p", with_code(line)) for line in comparison_lines(result, texts))


def _coverage(result: VerifyResult, texts: Texts) -> Iterator[Child]:
    yield _heading(texts, "coverage")
    counts = result.coverage_counts
    share = round(100 * counts["ran"] / counts["lines"]) if counts["lines"] else 0
    yield element("p", texts("verify.coverage", share=share, **counts))
    chosen = sorted(result.coverage, key=lambda file: (-len(file.missed), file.path))
    if chosen:
        head = (Column(texts("report.column-file"), "path"), *columns(texts, _COLUMN, "share:share missed"))
        rows = (_file(file) for file in chosen[:_FILES])
        yield table(texts("report.verification-coverage"), head, rows, "files")
    yield _more(chosen, texts, _FILES)
    if result.not_loaded:
        count = len(result.not_loaded)
        yield note(texts("report.verification-not-loaded", count=count))
        names = [path_code(_short(shown(path))) for path in result.not_loaded[:_NAMES]]
        yield listed([*names, *(["…"] if count > _NAMES else [])], class_="places")


def _file(file: FileCoverage) -> tuple[Child, ...]:
    share = round(100 * file.ran / file.lines) if file.lines else 0
    bar = small_bar(file.ran, 0, file.lines) if file.lines else None
    ran = joined((bar, f"{file.ran}/{file.lines} ({share} %)"))
    return path_code(_short(shown(file.path))), ran, _short(ranges(file.missed), _MISSED) or "–"


def _operators(result: VerifyResult, texts: Texts) -> Iterator[Child]:
    uses = result.unregistered
    if not uses:
        return
    yield _heading(texts, "operators")
    yield element("p", texts("report.verification-operators-text"))
    head = columns(texts, _COLUMN, "operator count:number place:path")
    rows = ((code(use.name), str(use.count), _place(use.place)) for use in uses[:_NAMES])
    yield table(texts("report.verification-operators"), head, rows)
    yield _more(uses, texts)


def _refusals(result: VerifyResult, texts: Texts) -> Iterator[Child]:
    if not result.refusals:
        return
    yield _heading(texts, "refusals")
    yield listed(_short(at_place(item.place, refusal_text(item, texts))) for item in result.refusals[:_NAMES])
    yield _more(result.refusals, texts)


def _more(items: Sequence[object], texts: Texts, shown_items: int = _NAMES) -> Html | None:
    left_out = len(items) - shown_items
    return note(with_code(texts("report.verification-more", count=left_out))) if left_out > 0 else None


def _place(place: Place | None) -> Html | None:
    return path_code(_short(where(place))) if place is not None else None


def _heading(texts: Texts, name: str) -> Html:
    return element("h3", texts(f"report.verification-{name}"))


def _short(text: str, length: int = 300) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
