"""The edits of a code action that was chosen."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

from lsprotocol import types

from gpu2ascend_rules.fix_closure import closure_edits
from gpu2ascend_rules.fixing import composed
from gpu2ascend_rules.hosting import Refusals
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding, Message
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.plain.text_file import TextFile

from ...project.examine import Request, examine
from ...project.files.content.soundness import judge_of
from ...project.inspect.unit_edits import UnitEdits, safe_only
from ..conversion.ranges import range_of
from ..edits.equivalent_files import package_changes
from ..server import Server
from ..session.analysis import Analysis, OutdatedError
from ..session.documents import Document
from .refactorings import distributed, edit_of_files, mixed_precision
from .unit_actions import unit_edit


class What(str, enum.Enum):
    """What an action does, as its data says."""

    ALL = "all"
    RULE = "rule"
    FIX = "fix"
    IGNORE = "ignore"
    DISTRIBUTED = "distributed"
    AMP = "amp"


async def analysis_for(server: Server, uri: str, *, any_version: bool) -> Analysis | None:
    """The analysis that a request is about, or ``None`` for what is not open.

    Other settings end an analysis too; the version that was asked about is still there then, and is looked at
    again. With ``any_version`` so is the one that has taken its place: what is saved goes unfixed otherwise.

    Raises:
        OutdatedError: the version is gone.
    """
    document = server.documents.examined(uri)
    while document is not None:
        try:
            return await server.analysis_of(document)
        except OutdatedError:
            latest = server.documents.examined(uri)
            if latest is not document and not any_version:
                raise
            document = latest
    return None


async def resolved(server: Server, action: types.CodeAction) -> types.CodeAction:
    """An action with its edit. One for a version that is gone stays without, and does nothing.

    All fixes are made in whichever version is there: the actions of another extension come first, where an
    editor runs those of several when it saves.
    """
    data = action.data if isinstance(action.data, dict) else {}
    document = server.documents.examined(str(data.get("uri", "")))
    is_of_all = data.get("what") == What.ALL
    if action.edit is not None or document is None:
        return action
    if document.version != data.get("version") and not is_of_all:
        return action
    analysis = await analysis_for(server, document.uri, any_version=is_of_all)
    if analysis is None:
        return action
    made = await _edit_of(server, analysis, data)
    if isinstance(made, Message):
        _refuse(server, analysis.document, made)
    elif made is not None:
        action.edit = made
    return action


async def _edit_of(
    server: Server, analysis: Analysis, data: dict[str, Any]
) -> types.WorkspaceEdit | Message | None:
    """The edit of an action; a message says why there is none."""
    document, options = analysis.document, analysis.options
    if data.get("what") == What.DISTRIBUTED:
        files = await server.worker.aside(partial(distributed, document, options, tuple(server.documents)))
        if isinstance(files, Message):
            return files
        return edit_of_files(files, server.unit, server.client_capabilities)
    if data.get("what") == What.AMP:
        made = await server.worker.aside(partial(mixed_precision, document, options, data))
        if isinstance(made, Message):
            return made
        return workspace_edit(server, document, made) if made else None
    project = await server.worker.aside(server.projects.of_now(document.uri))
    await server.worker.decide(project, options)
    of_unit = await unit_edit(server, analysis, project, data.get("finding"))
    return of_unit if of_unit is not None else await _edit_of_fixes(server, analysis, project, data)


async def _edit_of_fixes(
    server: Server, analysis: Analysis, project: ProjectView, data: dict[str, Any]
) -> types.WorkspaceEdit | Message | None:
    document = analysis.document
    edits, refused = await server.worker.edits_of(
        _edits, document.source, analysis.findings, analysis.options, project, data
    )
    for message in refused[:1]:
        _refuse(server, document, message)
    parts = _equivalents(analysis, data)
    language = server.settings.of(document.uri).language
    package = (
        await server.worker.aside(partial(package_changes, document.uri, parts, language)) if parts else []
    )
    if not edits or package is None:
        return None
    made = await server.worker.aside(partial(workspace_edit, server, document, edits))
    if package:
        made.document_changes = [*package, *(made.document_changes or ())]
    return made


def _refuse(server: Server, document: Document, why: Message) -> None:
    """Say why something cannot be made."""
    server.show(types.MessageType.Warning, render(why, server.settings.of(document.uri).language))


def _equivalents(analysis: Analysis, data: dict[str, Any]) -> frozenset[str]:
    """The parts of the package of equivalents that the one fix of an action needs."""
    number, findings = data.get("finding"), analysis.findings
    fix = findings[number].fix if isinstance(number, int) and 0 <= number < len(findings) else None
    return fix.plan.equivalents if fix is not None and data.get("what") == What.FIX else frozenset()


class _ActionEdits(NamedTuple):
    """The edits of an action, and what to say of those that were not made."""

    edits: tuple[Edit, ...]
    refused: tuple[Message, ...]


def _edits(
    source: TextFile,
    findings: tuple[Finding, ...],
    options: MigrationOptions,
    project: ProjectView,
    data: dict[str, Any],
) -> _ActionEdits:
    """The edits of an action; its ``data`` says of which. May run in another process."""
    what = data.get("what")
    of_fixes = safe_only(options)
    units = UnitEdits(project, of_fixes)
    of_units = units.members(source, findings)
    project = units.alone(source.path)
    if what == What.ALL:
        request = Request(options=of_fixes, fix=True, is_lenient=True)
        done = examine(source.path, source, request, project)
        refused = tuple(item.message for item in done.findings if is_defect(item))
        return _ActionEdits(composed(source.raw, done.passes), refused)
    number = data.get("finding")
    own = [item for place, item in enumerate(findings) if place not in of_units]
    if what == What.RULE:
        code = data.get("code")
        wanted = [item for item in own if item.code == code and item.applicability is Applicability.SAFE]
    elif isinstance(number, int) and 0 <= number < len(findings):
        wanted = [findings[number]]
    else:
        wanted = []
    refusals = Refusals(judge_of(source))
    edits = closure_edits(source, wanted, own, of_fixes, project, refusals)
    return _ActionEdits(edits, tuple(item.message for item in refusals.findings))


def workspace_edit(server: Server, document: Document, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    """The edits for a client, bound to the version that they are for if it can check that."""
    by_part = [
        (part, [types.TextEdit(range_of(part.lines, at, end, server.unit), text) for at, end, text in own])
        for part, own in document.edits(edits)
    ]
    workspace = server.client_capabilities.workspace
    support = workspace.workspace_edit if workspace is not None else None
    if support is not None and support.document_changes:
        changes = [
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(part.uri, part.version), list(own)
            )
            for part, own in by_part
        ]
        return types.WorkspaceEdit(document_changes=list(changes))
    return types.WorkspaceEdit(changes={part.uri: own for part, own in by_part})
