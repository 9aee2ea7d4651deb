"""What fixes did and left of a text, with lines of the text as it was given."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.finding import Edit, Finding, Message
from ..model.outcome import AppliedFix, FileChange, RemainingFinding
from ..text.lines import LineIndex
from .offsets import EditTrace


def record_of(code: str, message: Message, edit: Edit, trace: EditTrace, given: LineIndex) -> AppliedFix:
    """An edit of the present text, as one of the given one."""
    start, end = trace.given_lines(edit.start, edit.end, given)
    operation = "INSERT" if edit.start == edit.end else "MODIFY" if edit.text else "DELETE"
    return AppliedFix(code, message, start, end, operation)


def records_of_codemod(codemod: FileChange, trace: EditTrace, given: LineIndex) -> Iterator[AppliedFix]:
    """What a codemod of the present text did."""
    for item in codemod.done:
        yield AppliedFix(
            item.code, item.title, *trace.given_lines(item.start, item.end, given), item.operation
        )


def in_given(finding: Finding, trace: EditTrace) -> Finding:
    """A finding on the present text, in the text as it was given."""
    span = trace.given_span(finding.start, finding.end)
    return finding._replace(start=span.start, end=span.end)


def carried(finding: Finding, trace: EditTrace, given: LineIndex) -> RemainingFinding:
    """A finding on the text as it was given, in the present one."""
    first, last = given.line_of(finding.start), given.line_of(max(finding.start, finding.end - 1))
    span = trace.present_span(finding.start, finding.end)
    return RemainingFinding(finding._replace(start=span.start, end=span.end), first + 1, last + 1)


def located(finding: Finding, trace: EditTrace, given: LineIndex) -> RemainingFinding:
    """A finding on the present text, with its lines in the text as it was given."""
    return RemainingFinding(finding, *trace.given_lines(finding.start, finding.end, given))
