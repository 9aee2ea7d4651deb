"""What each front end says of the files of a project, in one form that can be compared.

The doors are ``check``, ``check --fix``, ``migrate``, and of the language server in an opened workspace the
diagnostics, fix-all, "Migrate this file" and the preview of the folder.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import attrs
from lsprotocol import types

from gpu2ascend.lsp.startup.announcement import FIX_ALL
from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.files.excludes import Editable, Excludes
from gpu2ascend.project.index.survey import survey_project
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.processes.workers import never
from gpu2ascend.project.report.result import FileOutcome, MigrationRequest
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.kinds.registry import kind_of_name
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex, Position
from tests.server.lsp.editor import Editor

Texts = Mapping[str, str]
"""The text of each file, by path relative to the project; files that stay as they are are left out."""


class Place(NamedTuple):
    """A finding as every front end has it: its rule, and where it begins, counted from 0 in UTF-16."""

    code: str
    line: int
    column: int


Findings = Mapping[str, tuple[Place, ...]]
"""The findings in each file, in order, by path; files without any are left out."""


def examined_files(root: Path) -> list[Path]:
    """Every file of a project that there are rules for, in order."""
    return sorted(path for path in root.rglob("*") if path.suffix == ".py" or kind_of_name(path.as_posix()))


def read(path: Path) -> str:
    """The text of a file, with its line ends."""
    return path.read_bytes().decode("utf-8-sig")


class Checked(NamedTuple):
    """What ``check`` says, and what ``check --fix`` makes of the files."""

    findings: Findings
    texts: Texts
    left: Mapping[str, list[str]]
    """The codes of what is left after the fixes, sorted."""


def by_check(root: Path, options: MigrationOptions, copy: Path) -> Checked:
    """Check a project, then fix a copy of it."""
    findings = {}
    for file in check_paths([root], options, jobs=1):
        if file.source is not None and file.findings:
            position = file.source.lines.position
            places = [(item.code, *position(item.start, ColumnUnit.UTF16)) for item in file.findings]
            findings[_name(file.path, root)] = tuple(sorted(Place(*place) for place in places))
    shutil.copytree(root, copy)
    left = {
        _name(file.path, copy): sorted(item.code for item in file.findings)
        for file in check_paths([copy], options, fix=True, jobs=1)
        if file.findings and file.problem is None
    }
    return Checked(findings, _changed(root, copy), left)


def fixed_alone(root: Path, options: MigrationOptions) -> Texts:
    """What ``check --fix`` makes of each file of a project if it is the only one that is named."""
    survey = survey_project(root, Excludes(()), lambda done, path: None, never)
    found: dict[str, str] = {}
    for path in examined_files(root):
        name = path.relative_to(root).as_posix()
        editable = Editable(Excludes(()), frozenset({name}))
        project = ProjectFiles(root, survey.facts, editable=editable)
        done = examine(name, read(path), Request(options=options, fix=True), project)
        if done.before is not None and done.text is not None:
            found[name] = done.text
    return found


class Migrated(NamedTuple):
    """What ``migrate`` makes of the files, and what it reports: what is left, and advice."""

    texts: Texts
    left: Mapping[str, list[str]]


def by_migrate(root: Path, options: MigrationOptions, output: Path) -> Migrated:
    """Migrate a project."""
    outcomes: list[FileOutcome] = []
    request = MigrationRequest(input=root, output=output, options=options, jobs=1)
    result = migrate(request, on_file=outcomes.append)
    assert result.output_path is not None
    left = {
        item.path: sorted(found.finding.code for found in (*item.remaining, *item.restricted, *item.advice))
        for item in outcomes
        if item.remaining or item.restricted or item.advice
    }
    return Migrated(_changed(root, result.output_path), left)


class Served(NamedTuple):
    """What the language server says of a project and would make of its files."""

    findings: Findings
    fixed: Texts
    """By fix-all."""
    migrated: Texts
    """By "Migrate this file"."""
    previewed: Texts
    """By the preview of the folder."""


async def by_server(editor: Editor, root: Path) -> Served:
    """Open every file of a folder of the workspace, one after the other."""
    findings, fixed, migrated = {}, {}, {}
    for path in examined_files(root):
        name, text = path.relative_to(root).as_posix(), read(path)
        uri = editor.open(path, text)
        found = await diagnostics_of(editor, uri)
        if found:
            findings[name] = found
        _note(fixed, name, text, _edits(await _fix_all(editor, uri), uri))
        editor.applied.clear()
        await editor.run("migrateFile", {"uri": uri})
        applied = editor.applied[-1] if editor.applied else None
        _note(migrated, name, text, _edits(applied, uri))
        editor.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    answer = await editor.run("previewMigration", {"uri": root.as_uri(), "apply": False})
    previewed: dict[str, str] = {}
    for path in examined_files(root):
        name, text = path.relative_to(root).as_posix(), read(path)
        _note(previewed, name, text, _edits(answer["edit"], path.as_uri()))
    return Served(findings, fixed, migrated, previewed)


CAN = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        apply_edit=True,
        configuration=True,
        workspace_folders=True,
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=False),
    ),
    text_document=types.TextDocumentClientCapabilities(
        diagnostic=types.DiagnosticClientCapabilities(),
        code_action=types.CodeActionClientCapabilities(
            code_action_literal_support=types.ClientCodeActionLiteralOptions(
                types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix, FIX_ALL])
            )
        ),
    ),
    window=types.WindowClientCapabilities(work_done_progress=True),
)
"""A client that takes plain edits and cannot be asked to confirm some: it is given the safe ones only."""


def safe_only(options: MigrationOptions) -> MigrationOptions:
    """The options without those that a fix-all of an editor ignores."""
    return attrs.evolve(options, unsafe_fixes=False, replace_unsupported=False)


async def diagnostics_of(editor: Editor, uri: str) -> tuple[Place, ...]:
    """What is reported of a document."""
    params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    report = await editor.ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params)
    starts = ((item.code, item.range.start) for item in report.items)
    return tuple(sorted(Place(str(code), start.line, start.character) for code, start in starts))


async def _fix_all(editor: Editor, uri: str) -> types.WorkspaceEdit | None:
    everywhere = types.Range(types.Position(0, 0), types.Position(1_000_000, 0))
    context = types.CodeActionContext([], only=[FIX_ALL])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), everywhere, context)
    actions = await editor.ask(types.TEXT_DOCUMENT_CODE_ACTION, params)
    return actions[0].edit if actions else None


def _edits(edit: Any, uri: str) -> list[tuple[Position, Position, str]]:
    """The edits of one document, of an object of the protocol or of plain JSON."""
    if edit is None:
        return []
    changes = edit.changes if isinstance(edit, types.WorkspaceEdit) else _field(edit, "changes")
    own = _field(changes or {}, uri) or []
    return [(*_range(_field(item, "range")), _field(item, "newText", "new_text")) for item in own]


def _range(value: Any) -> tuple[Position, Position]:
    sides = (_field(value, "start"), _field(value, "end"))
    start, end = (Position(_field(side, "line"), _field(side, "character")) for side in sides)
    return start, end


def _field(value: Any, *names: str) -> Any:
    for name in names:
        if isinstance(value, Mapping):
            if name in value:
                return value[name]
        elif hasattr(value, name):
            return getattr(value, name)
    return None


def _note(
    into: dict[str, str], name: str, text: str, edits: Iterable[tuple[Position, Position, str]]
) -> None:
    data = text.encode()
    lines = LineIndex(data)
    own = [
        Edit(lines.offset(start, ColumnUnit.UTF16), lines.offset(end, ColumnUnit.UTF16), new)
        for start, end, new in edits
    ]
    after = apply_edits(data, own).decode()
    if after != text:
        into[name] = after


def _changed(before: Path, after: Path) -> Texts:
    names = [path.relative_to(before).as_posix() for path in examined_files(before)]
    return {
        name: read(after / name)
        for name in names
        if (before / name).read_bytes() != (after / name).read_bytes()
    }


def _name(path: str, root: Path) -> str:
    return Path(path).relative_to(root).as_posix()
