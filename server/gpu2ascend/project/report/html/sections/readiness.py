"""Readiness at a glance: what trains as it is, what blocks, what is left to decide."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend_rules.model.finding import Severity

from .....texts.catalogue import Texts
from ...result import Summary
from ...verdict.verdict import State
from ..charts import Part, stacked
from ..collect import PageCollector
from ..markup import Html, element, listed, with_code
from ..model import FileState, RunFacts
from .common import method, section


def readiness(run: RunFacts, found: PageCollector, texts: Texts) -> Html:
    """The section."""
    return section(
        "readiness",
        texts("report.readiness"),
        _verdict(run, found, texts),
        _cards(run, found, texts),
        _picture(found, texts),
        method(texts("report.readiness-method"), texts),
        _as_analysed(run, texts),
    )


def ready_share(found: PageCollector) -> int:
    """How many of a hundred examined files have nothing left to decide, rounded down."""
    total = sum(found.states.values())
    return 100 * _ready(found) // total if total else 0


def _ready(found: PageCollector) -> int:
    return sum(count for state, count in found.states.items() if state.is_ready)


def _verdict(run: RunFacts, found: PageCollector, texts: Texts) -> Html:
    verdict = run.verdict
    details = (with_code(texts.of(message)) for message in verdict.details())
    reasons = [*_reasons(run, found, texts), *details]
    strong = element("strong", texts.of_usual(verdict.sentence()))
    caution = element("span", texts("report.not-run"), class_="caution")
    listing = listed(reasons, class_="reasons") if reasons else None
    return element(
        "div", element("p", strong, " ", caution), listing, class_=f"verdict {_COLOURS[verdict.state]}"
    )


_COLOURS = {State.BLOCKED: "blocked", State.UNDECIDED: "open", State.OPEN: "open", State.MIGRATED: "migrated"}


def _reasons(run: RunFacts, found: PageCollector, texts: Texts) -> Iterator[Html]:
    for obstacle in run.obstacles:
        yield with_code(obstacle)
    summary = run.summary
    if summary.errors_on_way:
        errors = [cause for cause in found.causes.in_order() if cause.severity is Severity.ERROR]
        causes = sum(not cause.is_outside for cause in errors)
        text = texts("report.reason-errors", count=summary.errors_on_way, causes=causes)
        yield element("a", text, href="#findings")
    if summary.troubled_files:
        text = texts("report.reason-troubled", count=summary.troubled_files)
        yield element("a", text, href="#unexamined")
    if summary.silenced:
        yield with_code(texts("report.reason-silenced", count=summary.silenced))


def _cards(run: RunFacts, found: PageCollector, texts: Texts) -> Html:
    summary = run.summary
    total = sum(found.states.values())
    numbers = (
        (f"{ready_share(found)} %", texts("report.card-ready", ready=_ready(found), total=total), ""),
        (str(summary.edits), texts("report.card-edits", files=summary.changed_files), ""),
        (str(summary.errors_on_way), texts("report.card-errors"), _if(summary.errors_on_way, "blocked")),
        *_outside_training(summary, texts),
        (str(summary.to_decide), texts("report.card-open"), _if(summary.to_decide, "open")),
        (str(summary.hints), texts("report.card-hints"), ""),
        (str(summary.troubled_files), texts("report.card-troubled"), _if(summary.troubled_files, "troubled")),
    )
    cards = (
        element("li", element("b", number, class_=name or None), " ", element("span", text))
        for number, text, name in numbers
    )
    return element("ul", *cards, class_="cards")


def _outside_training(summary: Summary, texts: Texts) -> Iterator[tuple[str, str, str]]:
    if summary.errors_beside:
        yield str(summary.errors_beside), texts("report.card-beside"), "open"


def _if(count: int, name: str) -> str:
    """The colour of a number that is worth one."""
    return name if count else ""


def _picture(found: PageCollector, texts: Texts) -> Html:
    parts = [
        Part(state.value, texts(f"report.state-{state.value}"), found.states[state])
        for state in reversed(FileState)
    ]
    colon = texts("report.colon")
    legend = (
        element(
            "li",
            element("span", class_=f"swatch {part.name}"),
            part.label + colon,
            element("b", str(part.number)),
        )
        for part in parts
    )
    description = (
        texts("report.picture") + " " + "; ".join(f"{part.label}{colon}{part.number}" for part in parts)
    )
    return element(
        "figure",
        element("figcaption", texts("report.picture")),
        stacked(parts, description),
        element("ul", *legend, class_="legend"),
    )


def _as_analysed(run: RunFacts, texts: Texts) -> Html | None:
    """The counts that the analysis shows, where the page belongs to one."""
    counts = run.analysis
    if counts is None:
        return None
    return element("p", texts("report.analysis", **counts), class_="note")
