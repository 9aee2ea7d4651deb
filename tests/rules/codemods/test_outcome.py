"""What a codemod did becomes findings and records at the places in the text."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.change import Change, done, reported_only
from gpu2ascend_rules.codemods.operations import Operation, OperationKind
from gpu2ascend_rules.codemods.outcome import carried_out, finding_of
from gpu2ascend_rules.codemods.program import Place, Program
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.model.outcome import FileChange
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.text.source_file import SourceFile

TEXT = "# a script\nx = 1\ny = 2\n"


def places() -> tuple[Place, Place]:
    """The file as a whole, and its second statement."""
    source = SourceFile(TEXT, "main.py")
    return Place(source, source.root), Place(source, source.root.named_children[-1])


def test_what_is_about_a_statement_is_at_the_statement() -> None:
    _, statement = places()
    finding = finding_of(reported_only("NPU420", "declined", statement, Severity.WARNING))
    assert TEXT[finding.start : finding.end] == "y = 2"


def test_what_is_about_a_file_is_at_its_beginning_and_marks_none_of_it() -> None:
    whole, _ = places()
    finding = finding_of(reported_only("NPU420", "declined", whole, Severity.WARNING))
    assert (finding.start, finding.end) == (whole.node.start_byte, whole.node.start_byte)


def outcome(*changes: Change) -> FileChange:
    """What becomes of the file of some changes."""
    program = Program(changes[0].place.file, STANDALONE)
    return carried_out(program, changes, lambda _source, _text: ()).files["main.py"]


def at(place: Place, kind: OperationKind, text: str = "") -> Operation:
    return Operation(kind, place.node.start_byte, place.node.end_byte, text)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((OperationKind.BEFORE,), "INSERT"),
        ((OperationKind.BEFORE, OperationKind.AFTER), "INSERT"),
        ((OperationKind.REMOVE,), "DELETE"),
        ((OperationKind.BEFORE, OperationKind.REMOVE), "MODIFY"),
    ],
)
def test_a_record_says_what_kind_of_change_it_was(kinds: tuple[OperationKind, ...], expected: str) -> None:
    _, statement = places()
    change = done("NPU420", "declined", statement, *(at(statement, kind, "z = 3") for kind in kinds))
    (record,) = outcome(change).done
    assert record.operation == expected


def test_what_changes_nothing_is_a_finding_once() -> None:
    _, statement = places()
    change = reported_only("NPU420", "declined", statement, Severity.WARNING)
    result = outcome(change, change)
    assert (result.text, result.edits, result.done) == (TEXT, (), ())
    assert result.findings == (finding_of(change),)


def test_what_changes_something_is_no_finding() -> None:
    _, statement = places()
    result = outcome(done("NPU420", "declined", statement, at(statement, OperationKind.REMOVE)))
    assert result.text == "# a script\nx = 1\n" and result.findings == ()
