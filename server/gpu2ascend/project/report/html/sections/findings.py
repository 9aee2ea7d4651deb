"""What is left, by cause: what it is, where, what to do about it, and where that is explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpu2ascend_rules.model.finding import Applicability, Severity

from .....texts.catalogue import Texts
from .....texts.rule_title import title_of_code
from ...causes import Cause, by_cause
from ..collect import PageCollector
from ..markup import Html, element, joined, with_code
from ..rules import advice as advice_of
from .common import COLOURS, SEVERITIES, badge, note, places, rule_link, section

MAX_CAUSES = 250
"""Causes that the page has; the log has all."""


def findings(found: PageCollector, texts: Texts) -> Html:
    """The section."""
    causes = found.causes.in_order()
    in_order = sorted(causes, key=lambda cause: (cause.is_outside, SEVERITIES.index(cause.severity)))
    shown = in_order[:MAX_CAUSES]
    if not shown:
        return section("findings", texts("report.findings"), note(texts("report.findings-none")))
    groups = _severities([cause for cause in shown if not cause.is_outside], texts)
    beside = _severities([cause for cause in shown if cause.is_outside], texts)
    heading = element("h3", texts("report.findings-beside")) if beside else None
    left_out = len(causes) - len(shown)
    more = note(texts("report.findings-more", count=left_out)) if left_out else None
    return section("findings", texts("report.findings"), *groups, heading, *beside, more)


def _severities(causes: Sequence[Cause], texts: Texts) -> list[Html]:
    """The causes by severity, the gravest first."""
    groups = (
        _severity(severity, [cause for cause in causes if cause.severity is severity], texts)
        for severity in SEVERITIES
    )
    return [group for group in groups if group is not None]


def advice(found: PageCollector, texts: Texts) -> Html | None:
    """What would be faster or more exact, in a section beside that of the findings; none without any."""
    causes = found.advice.in_order()[:MAX_CAUSES]
    if not causes:
        return None
    intro = note(texts("report.advice-text", count=sum(cause.count for cause in causes)))
    groups = sorted(by_cause(causes, lambda cause: cause.code), key=_rank)
    return section("advice", texts("report.advice"), intro, *(_rule(group, texts) for group in groups))


def _severity(severity: Severity, causes: Sequence[Cause], texts: Texts) -> Html | None:
    if not causes:
        return None
    count = sum(cause.count for cause in causes)
    heading = element("h3", texts(f"report.severity-{severity.value}", count=count, causes=len(causes)))
    intro = element("p", texts(f"report.severity-{severity.value}-text"), class_="note")
    groups = sorted(by_cause(causes, lambda cause: cause.code), key=_rank)
    rules = (_rule(group, texts) for group in groups)
    return joined((heading, intro, *rules))


def _rank(causes: Sequence[Cause]) -> int:
    """The cause of the most places first."""
    return -sum(cause.count for cause in causes)


def _rule(causes: Sequence[Cause], texts: Texts) -> Html:
    """The causes that one rule found, with what it advises."""
    first = causes[0]
    count = sum(cause.count for cause in causes)
    colour = COLOURS[first.severity]
    heading = element(
        "summary",
        badge(colour, first.code),
        " ",
        element("span", title_of_code(first.code, texts) or first.text, class_="title"),
        element("span", texts("report.places", count=count), class_="count"),
    )
    fix = advice_of(first.code, texts)
    body = (
        joined((element("strong", texts("report.fix")), " ", with_code(fix))) if fix else None,
        joined((texts("report.explained"), " ", rule_link(first.code))),
    )
    advised = joined(element("p", item) for item in body if item is not None)
    items = (element("li", *_cause(cause, texts)) for cause in causes)
    whole = (heading, advised, element("ul", *items, class_="causes"))
    return element("details", *whole, class_=f"finding {colour}", open=first.severity is not Severity.HINT)


def _cause(cause: Cause, texts: Texts) -> Iterator[Html]:
    yield element("p", with_code(cause.text))
    offered = _offered(cause)
    if offered is not None:
        yield element("p", with_code(texts(offered)), class_="offer")
    yield places(cause, texts)


def _offered(cause: Cause) -> str | None:
    """What the tool would do about it if it were asked to."""
    if cause.about.replaces:
        return "report.offer-similar"
    return "report.offer-unsafe" if cause.about.applicability is Applicability.UNSAFE else None
