"""What several sections have in common."""

from __future__ import annotations

from gpu2ascend_rules.model.finding import Severity

from .....texts.catalogue import Texts
from ...causes import Cause
from ..markup import Child, Html, element, path_code
from ..model import FileState

SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT)
COLOURS = {
    Severity.ERROR: "blocked",
    Severity.WARNING: "open",
    Severity.INFORMATION: "open",
    Severity.HINT: "untouched",
}
"""The class of the colour of each severity."""


def section(identifier: str, title: str, *children: Child) -> Html:
    """A section with its heading, which the table of contents leads to."""
    heading = element("h2", title, id=f"{identifier}-title")
    return element("section", heading, *children, id=identifier, aria_labelledby=f"{identifier}-title")


def badge(name: str, text: str) -> Html:
    """A word on the colour of a state."""
    return element("span", text, class_=f"badge {name}")


def state_badge(state: FileState, texts: Texts) -> Html:
    """How a file stands."""
    return badge(state.value, texts(f"report.state-{state.value}"))


def rule_link(rule: str) -> Html:
    """A rule's code, which leads to what the page says of it."""
    return element("a", rule, href=f"#rule-{rule}", class_="rule", translate="no")


def places(cause: Cause, texts: Texts) -> Html:
    """The places of a cause, and how many more there are."""
    named = [cause.place, *cause.more]
    more = cause.count - len(named)
    rest = texts("report.more-places", count=more) if more else None
    items = (element("li", path_code(place)) for place in named)
    return element("ul", *items, None if rest is None else element("li", rest), class_="places")


def method(text: str, texts: Texts) -> Html:
    """How numbers were made, beside them."""
    summary = element("summary", texts("report.method"))
    return element("details", summary, element("p", text), class_="method", open=True)


def more_rows(left_out: int, texts: Texts) -> Html | None:
    """That a table leaves out some rows; None where it has all."""
    return note(texts("report.rows-more", count=left_out)) if left_out > 0 else None


def note(text: Child) -> Html:
    """A remark."""
    return element("p", text, class_="note")
