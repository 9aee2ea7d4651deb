"""``refactor.rewrite``: a training script for several devices, modules included; its mixed precision."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from lsprotocol import types

from gpu2ascend_rules.codemods.amp.refactoring import AmpRefactoring, amp_fix
from gpu2ascend_rules.codemods.amp.refactoring import offered as amp_refactorings
from gpu2ascend_rules.codemods.outcome import CodemodOutcome
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.model.finding import Edit, Message, Severity
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.plain.python_files import is_python
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

from ...project.files.content.encoding import decode
from ...project.index.sources.directories import project_directory
from ...project.index.view import ProjectFiles
from ...project.regular_files import read_inside
from ..conversion.ranges import range_of
from ..conversion.uris import path_of, uri_of
from ..session.documents import Document

__all__ = ["amp_refactorings", "distributed", "edit_of_files", "mixed_precision"]


_NO_MODEL = Message.of("lsp.distributed-no-model")


class RefactoredFile(NamedTuple):
    """One file of the program with what changes in it."""

    uri: str
    version: int | None
    """Of the open document; none for a file that is not open."""
    source: TextFile
    edits: tuple[Edit, ...]


def edit_of_files(
    files: Iterable[RefactoredFile], unit: ColumnUnit, capabilities: types.ClientCapabilities
) -> types.WorkspaceEdit:
    """The edits for a client, bound to the versions that they are for if it can check that."""
    changes = [
        (
            file,
            [
                types.TextEdit(range_of(file.source.lines, edit.start, edit.end, unit), edit.text)
                for edit in sorted(file.edits)
            ],
        )
        for file in files
    ]
    support = capabilities.workspace.workspace_edit if capabilities.workspace is not None else None
    if support is not None and support.document_changes:
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(file.uri, file.version), list(edits)
                )
                for file, edits in changes
            ]
        )
    return types.WorkspaceEdit(changes={file.uri: edits for file, edits in changes})


def distributed(
    document: Document, options: MigrationOptions, others: Iterable[Document]
) -> list[RefactoredFile] | Message:
    """What the distributed rule changes in a script and in the modules behind it, or why it cannot."""
    from gpu2ascend_rules.codemods.distributed.refactoring import distributed_program

    path = path_of(document.uri)
    root = project_directory(path) if path is not None else None
    if root is None:
        source = document.python
        outcome = distributed_program(source, options, STANDALONE) if source is not None else None
        changes = outcome.files.get(document.source.path) if outcome is not None else None
        files = [_own(document, changes.edits)] if changes is not None else []
        return _changed(files, outcome)
    scripts = (item for item in (*others, document) if is_python(item.uri, item.source.text))
    opened = {_below(root, item): item for item in scripts}
    texts = {name: item.source.text for name, item in opened.items()}
    entry = SourceFile(document.source.text, _below(root, document))
    outcome = distributed_program(entry, options, ProjectFiles(root, texts=texts))
    files = []
    for name, change in outcome.files.items() if outcome is not None else ():
        if name in opened:
            files.append(_own(opened[name], change.edits))
        else:
            text = decode(read_inside(root, root / name)).text
            files.append(RefactoredFile(uri_of(root / name), None, SourceFile(text, name), change.edits))
    return _changed(files, outcome)


def _changed(
    files: Iterable[RefactoredFile], outcome: CodemodOutcome | None
) -> list[RefactoredFile] | Message:
    if outcome is None:
        return _NO_MODEL
    return [file for file in files if file.edits] or _why_not(outcome)


def _why_not(outcome: CodemodOutcome) -> Message:
    """Why a program is left as it is: the gravest of what was found."""
    found = [finding for change in outcome.files.values() for finding in change.findings]
    for severity in Severity:
        for finding in found:
            if finding.severity is severity:
                return Message.of("lsp.distributed-declined", reason=finding.message)
    return Message.of("lsp.distributed-unchanged")


def mixed_precision(
    document: Document, options: MigrationOptions, data: dict[str, Any]
) -> tuple[Edit, ...] | Message:
    """What a refactoring of the precision changes in a script, or why it cannot be made there."""
    import libcst as cst

    from gpu2ascend_rules.codemods.codemod import Declined

    try:
        kind = AmpRefactoring(data.get("precision"))
        source = document.python
        return edits_of(source, amp_fix(source, kind, options)) if source is not None else ()
    except Declined as declined:
        return Message.of("lsp.amp-declined", line=declined.line, reason=declined.reason)
    except (ValueError, cst.ParserSyntaxError):  # no such refactoring, or half-typed code
        return ()


def _own(document: Document, edits: tuple[Edit, ...]) -> RefactoredFile:
    return RefactoredFile(document.uri, document.version, document.source, edits)


def _below(root: Path, document: Document) -> str:
    """How the project view names a document."""
    path = path_of(document.uri)
    is_inside = path is not None and path.is_relative_to(root)
    return path.relative_to(root).as_posix() if path is not None and is_inside else document.uri
