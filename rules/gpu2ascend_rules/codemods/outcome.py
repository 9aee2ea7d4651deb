"""From the changes of a codemod to the texts of files, the records of what was done and what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ..edits.offsets import text_edits
from ..limits.parents import parent_of
from ..model.finding import Finding, Message, Severity
from ..model.outcome import Done, FileChange
from ..rewrite import RewriteDeclined
from ..text.source_file import SourceFile
from .change import Change
from .operations import Operation, OperationKind
from .program import Program

FAILED = "NPU420"
_INSERTIONS = frozenset(
    {
        OperationKind.BEFORE,
        OperationKind.AFTER,
        OperationKind.BODY_START,
        OperationKind.BODY_END,
        OperationKind.MODULE_TOP,
        OperationKind.HELPERS,
        OperationKind.MODULE_END,
    }
)


class CodemodOutcome(NamedTuple):
    """What a codemod makes of a program: plain data, by the paths of its files."""

    files: Mapping[str, FileChange]


def carried_out(
    program: Program, changes: Iterable[Change], extra: Callable[[SourceFile, str], tuple[Operation, ...]]
) -> CodemodOutcome:
    """The texts and findings of every file that a codemod changes or says something of.

    ``extra`` gives what a file must have besides for the new text that it gets.

    A file that cannot be rewritten stays as it is, and an error says so.
    """
    by_file: dict[str, list[Change]] = {}
    for change in changes:
        by_file.setdefault(change.place.file.path, []).append(change)
    files = {
        file.path: _file_change(file, by_file[file.path], extra(file, _new_text(by_file[file.path])))
        for file in program.files
        if file.path in by_file
    }
    return CodemodOutcome(files)


def _new_text(changes: Iterable[Change]) -> str:
    operations = [item for change in changes for item in change.operations]
    return "\n".join([text for item in operations for text in (item.text, *(step[1] for step in item.steps))])


def _file_change(file: SourceFile, changes: list[Change], extra: tuple[Operation, ...]) -> FileChange:
    operations = [item for change in changes for item in change.operations]
    unique = list(dict.fromkeys([*extra, *operations])) if operations else []
    try:
        text = _rewritten(file, unique)
    except RewriteDeclined:
        declined = Finding(FAILED, 0, 0, Message.of(f"{FAILED}.declined"), Severity.ERROR)
        left = [finding_of(change)._replace(severity=Severity.ERROR) for change in changes]
        return FileChange(file.text, (), (), (declined, *left))
    edits = text_edits(file.text, text)
    done = tuple(_done(change) for change in changes if change.operations)
    findings = tuple(dict.fromkeys(finding_of(change) for change in changes if not change.operations))
    return FileChange(text, edits, done, findings)


def _rewritten(file: SourceFile, operations: list[Operation]) -> str:
    if not operations:
        return file.text
    from .module_rewrite import rewrite_module

    return rewrite_module(file, operations)


def finding_of(change: Change) -> Finding:
    """What a change has to say, at its place."""
    return Finding(change.code, *_span(change), change.message, change.severity)


def _span(change: Change) -> tuple[int, int]:
    """The place of a change; what is about a file as a whole is at its beginning."""
    node = change.place.node
    return node.start_byte, node.end_byte if parent_of(node) is not None else node.start_byte


def _done(change: Change) -> Done:
    kinds = {item.kind for item in change.operations}
    inserts = kinds <= _INSERTIONS
    operation = "INSERT" if inserts else "DELETE" if kinds == {OperationKind.REMOVE} else "MODIFY"
    return Done(change.code, change.message, *_span(change), operation)
