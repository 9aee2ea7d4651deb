"""What was changed, by rule, and what each rule on the page is about."""

from __future__ import annotations

from collections.abc import Iterator

from .....texts.catalogue import Texts
from .....texts.rule_title import title_of_code
from ..collect import PageCollector
from ..markup import Html, code, element, joined, with_code
from ..rules import parts_of
from ..tables import Column, table
from .common import note, rule_link, section


def changes(found: PageCollector, texts: Texts) -> Html | None:
    """The edits by rule; none where nothing was changed."""
    if not found.edits:
        return None
    columns = (
        Column(texts("report.column-rule")),
        Column(texts("report.column-what")),
        Column(texts("report.column-edits"), "number"),
    )
    ordered = sorted(found.edits.items(), key=lambda item: (-item[1], item[0]))
    rows = ((rule_link(rule), title_of_code(rule, texts), str(count)) for rule, count in ordered)
    return section("changes", texts("report.changes"), table(texts("report.changes-caption"), columns, rows))


def reference(found: PageCollector, texts: Texts) -> Html | None:
    """The documentation of each rule that the page names."""
    causes = (*found.causes.in_order(), *found.restricted.in_order(), *found.advice.in_order())
    dependencies = {change.code for change in found.dependencies}
    rules = sorted({*found.edits, *(cause.code for cause in causes), *dependencies}, key=_by_number)
    if not rules:
        return None
    intro = note(with_code(texts("report.rules-text")))
    return section("rules", texts("report.rules"), intro, *(_rule(rule, texts) for rule in rules))


def _by_number(rule: str) -> tuple[str, int]:
    name = rule.rstrip("0123456789")
    return name, int(rule[len(name) :] or 0)


def _rule(rule: str, texts: Texts) -> Html:
    heading = element("h3", code(rule), " ", title_of_code(rule, texts))
    return element("article", heading, joined(_parts(rule, texts)), id=f"rule-{rule}", tabindex=-1)


def _parts(rule: str, texts: Texts) -> Iterator[Html]:
    for name, text in parts_of(rule, texts).items():
        if name != "example":
            yield element("p", element("strong", texts(f"report.rule-{name}")), " ", with_code(text))
