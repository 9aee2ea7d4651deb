"""``textDocument/codeAction`` and ``codeAction/resolve``.

What costs nothing is in the action at once; edits by LibCST, and those of a whole file, are made when the
client asks for the one action that was chosen, if it can ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import attrs
from lsprotocol import types

from gpu2ascend_rules.edits.fix_titles import title_of
from gpu2ascend_rules.edits.refusals import Refusals
from gpu2ascend_rules.edits.suppression import ignore_file, ignore_line
from gpu2ascend_rules.fix_closure import closure_edits
from gpu2ascend_rules.fixing import composed
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding, Fix, Message
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.plain.python_files import is_python
from gpu2ascend_rules.text.plain.text_file import TextFile

from ...project.examine import Request, examine
from ...project.files.content.soundness import judge_of
from ...project.inspect.unit_edits import UnitEdits
from ..conversion.json_messages import Encoded, encoded
from ..conversion.ranges import range_of
from ..edits.equivalent_files import can_create_files, has_place, package_changes
from ..server import Server
from ..session.analysis import Analysis, OutdatedError
from ..session.documents import Document
from ..startup.announcement import EXPLAIN, FIX_ALL, NOTEBOOK_FIX_ALL
from .diagnostics.from_findings import diagnostic_of
from .refactorings import amp_refactorings, distributed, edit_of_files, mixed_precision
from .training_places import stands_in_training
from .unit_actions import Offer, offer_of, unit_edit

_ALL, _RULE, _FIX, _IGNORE = "all", "rule", "fix", "ignore"
_DISTRIBUTED, _AMP = "distributed", "amp"
_INDEX_PATIENCE = 5.0
"""Seconds that fixes of a whole file wait for the project to be read; saving waits with them."""


class _Wanted(NamedTuple):
    """Which kinds of actions a client asks for."""

    kinds: tuple[str, ...] | None

    def has(self, kind: str) -> bool:
        if self.kinds is None:
            # Without a filter these would stand in every menu; editors ask for them by name.
            return kind not in (FIX_ALL, NOTEBOOK_FIX_ALL)
        # The empty kind is that of all.
        return any(wanted in ("", kind) or kind.startswith(f"{wanted}.") for wanted in self.kinds)

    @property
    def is_of_whole_files(self) -> bool:
        """Whether they are for a file as it is, and not for a place in it: what editors do when they save."""
        return self.kinds is not None and all(
            f"{kind}.".startswith(("source.", "notebook.source.")) for kind in self.kinds
        )


def register(server: Server) -> None:
    """Answer these requests."""

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    async def code_action(params: types.CodeActionParams) -> Encoded | list[types.CodeAction]:
        kinds = params.context.only
        wanted = _Wanted(tuple(str(getattr(kind, "value", kind)) for kind in kinds) if kinds else None)
        await server.ready()
        if not server.settings.of(params.text_document.uri).is_enabled:
            return []
        if wanted.is_of_whole_files:
            await server.indexing.built_for(params.text_document.uri, _INDEX_PATIENCE)
        analysis = await _analysis(server, params.text_document.uri, any_version=wanted.is_of_whole_files)
        if analysis is None:
            return []
        place = types.Location(params.text_document.uri, params.range)
        # Of a selection there may be thousands: neither the loop nor a key waits for them.
        actions = await server.worker.aside(lambda: list(_actions(server, analysis, place, wanted)))
        if not _can_resolve(server):
            actions = [await _resolved(server, action) for action in actions]
        return await server.worker.aside(partial(encoded, actions))

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> Encoded:
        resolved = await _resolved(server, action)
        return await server.worker.aside(partial(encoded, resolved))


async def _analysis(server: Server, uri: str, *, any_version: bool) -> Analysis | None:
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


def _can_resolve(server: Server) -> bool:
    document = server.client_capabilities.text_document
    support = document.code_action.resolve_support if document and document.code_action else None
    return support is not None and "edit" in support.properties


def _actions(
    server: Server, analysis: Analysis, place: types.Location, wanted: _Wanted
) -> Iterator[types.CodeAction]:
    """The actions for a place: fixes first, what silences last."""
    language = server.settings.of(analysis.document.uri).language
    here = list(_findings_at(server, analysis, place))
    offer = offer_of(server, analysis)
    if wanted.has(types.CodeActionKind.QuickFix.value):
        shown = {number: diagnostic_of(analysis, number, server.unit, language) for number, _ in here}
        make = partial(_action, server, analysis, language)
        for number, finding in here:
            fix = finding.fix if offer.has(number) else None
            if fix is not None and _is_possible(server, analysis.document, fix):
                yield offer.titled(make(_FIX, finding, number, shown[number]), number, language)
        for code, (number, finding) in _by_rule(here).items():
            if _fixable(offer.of_file, code) > 1:
                yield make(_RULE, finding, number, None)
        for _, (number, finding) in _by_rule(here).items():
            yield from _silencing(server, analysis.document, finding, language, shown[number])
            yield _explanation(finding, language)
    yield from _fix_all(analysis, offer, language, wanted)
    # Made at once, as by a client that cannot resolve, it would cost too much to stand in every menu.
    is_asked = wanted.kinds is not None or (_can_resolve(server) and _trains_at(server, analysis, place))
    if is_asked and wanted.has(types.CodeActionKind.RefactorRewrite.value):
        yield from _refactorings(analysis, language)


def _trains_at(server: Server, analysis: Analysis, place: types.Location) -> bool:
    document = analysis.document
    start = document.offset(place.uri, place.range.start, server.unit)
    end = document.offset(place.uri, place.range.end, server.unit)
    if document.python is None or start is None or end is None:
        return False
    return stands_in_training(document.python, start, end)


def _fix_all(analysis: Analysis, offer: Offer, language: str, wanted: _Wanted) -> Iterator[types.CodeAction]:
    if not _is_any_safe(offer.of_file):
        return
    of_notebooks = [NOTEBOOK_FIX_ALL] if analysis.document.cells is not None else []
    for kind in (FIX_ALL, *of_notebooks):
        if wanted.has(kind):
            title = render(Message.of("lsp.action.fix-all"), language)
            yield types.CodeAction(title, kind=kind, data=_data(analysis.document, _ALL))


def _refactorings(analysis: Analysis, language: str) -> Iterator[types.CodeAction]:
    from gpu2ascend_rules.codemods.distributed.refactoring import TITLE, is_offered

    document, kind = analysis.document, types.CodeActionKind.RefactorRewrite
    source = document.python
    if source is None or not is_python(document.uri, source.text):
        return
    for precision in amp_refactorings(source, analysis.options):
        data = _data(document, _AMP, precision=precision.value)
        yield types.CodeAction(render(precision.title, language), kind=kind, data=data)
    if is_offered(source):
        yield types.CodeAction(render(TITLE, language), kind=kind, data=_data(document, _DISTRIBUTED))


def _is_possible(server: Server, document: Document, fix: Fix) -> bool:
    """Whether the client can make all that a fix needs: some need files beside the text."""
    if not fix.plan.equivalents:
        return True
    return can_create_files(server.client_capabilities) and has_place(document.uri, fix.plan.equivalents)


def _findings_at(server: Server, analysis: Analysis, place: types.Location) -> Iterator[tuple[int, Finding]]:
    start = analysis.document.offset(place.uri, place.range.start, server.unit)
    end = analysis.document.offset(place.uri, place.range.end, server.unit)
    if start is None or end is None:
        return
    for number, finding in enumerate(analysis.findings):
        if finding.start <= end and start <= finding.end:
            yield number, finding


def _by_rule(findings: Iterable[tuple[int, Finding]]) -> dict[str, tuple[int, Finding]]:
    first: dict[str, tuple[int, Finding]] = {}
    for number, finding in findings:
        first.setdefault(finding.code, (number, finding))
    return first


def _fixable(findings: Iterable[Finding], code: str) -> int:
    return sum(item.code == code and item.applicability is Applicability.SAFE for item in findings)


def _is_any_safe(findings: Iterable[Finding]) -> bool:
    return any(item.applicability is Applicability.SAFE for item in findings)


def _action(
    server: Server,
    analysis: Analysis,
    language: str,
    what: str,
    finding: Finding,
    number: int,
    diagnostic: types.Diagnostic | None,
) -> types.CodeAction:
    document = analysis.document
    if what == _RULE:
        title = render(Message.of("lsp.action.fix-rule", code=finding.code), language)
        data = _data(document, _RULE, code=finding.code)
        return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, data=data)
    assert finding.fix is not None
    is_safe = finding.fix.applicability is Applicability.SAFE
    title = render(title_of(finding.fix, document.source.data), language)
    if not is_safe:
        title = render(Message.of("lsp.action.unsafe", title=title), language)
    return types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic] if diagnostic is not None else None,
        is_preferred=is_safe,
        data=_data(document, _FIX, finding=number),
    )


def _silencing(
    server: Server, document: Document, finding: Finding, language: str, diagnostic: types.Diagnostic
) -> Iterator[types.CodeAction]:
    edits = {
        "line": ignore_line(document.source, finding),
        "file": ignore_file(document.source, finding),
    }
    for where, edit in edits.items():
        if edit is not None:
            yield types.CodeAction(
                render(Message.of(f"lsp.action.ignore-{where}", code=finding.code), language),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                edit=_workspace_edit(server, document, [edit]),
                data=_data(document, _IGNORE, where=where),
            )


def _explanation(finding: Finding, language: str) -> types.CodeAction:
    title = render(Message.of("lsp.action.explain", code=finding.code), language)
    command = types.Command(title, EXPLAIN, arguments=[{"name": finding.code, "show": True}])
    return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, command=command)


def _data(document: Document, what: str, **more: object) -> dict[str, object]:
    return {"uri": document.uri, "version": document.version, "what": what, **more}


async def _resolved(server: Server, action: types.CodeAction) -> types.CodeAction:
    """An action with its edit. One for a version that is gone stays without, and does nothing.

    All fixes are made in whichever version is there: the actions of another extension come first, where an
    editor runs those of several when it saves.
    """
    data = action.data if isinstance(action.data, dict) else {}
    document = server.documents.examined(str(data.get("uri", "")))
    is_of_all = data.get("what") == _ALL
    if action.edit is not None or document is None:
        return action
    if document.version != data.get("version") and not is_of_all:
        return action
    analysis = await _analysis(server, document.uri, any_version=is_of_all)
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
    if data.get("what") == _DISTRIBUTED:
        files = await server.worker.aside(partial(distributed, document, options, tuple(server.documents)))
        if isinstance(files, Message):
            return files
        return edit_of_files(files, server.unit, server.client_capabilities)
    if data.get("what") == _AMP:
        made = await server.worker.aside(partial(mixed_precision, document, options, data))
        if isinstance(made, Message):
            return made
        return _workspace_edit(server, document, made) if made else None
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
    made = await server.worker.aside(partial(_workspace_edit, server, document, edits))
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
    return fix.plan.equivalents if fix is not None and data.get("what") == _FIX else frozenset()


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
    safe_only = attrs.evolve(options, unsafe_fixes=False, replace_unsupported=False)
    units = UnitEdits(project, safe_only)
    of_units = units.members(source, findings)
    project = units.alone(source.path)
    if what == _ALL:
        request = Request(options=safe_only, fix=True, is_lenient=True)
        done = examine(source.path, source, request, project)
        refused = tuple(item.message for item in done.findings if is_defect(item))
        return _ActionEdits(composed(source.raw, done.passes), refused)
    number = data.get("finding")
    own = [item for place, item in enumerate(findings) if place not in of_units]
    if what == _RULE:
        code = data.get("code")
        wanted = [item for item in own if item.code == code and item.applicability is Applicability.SAFE]
    elif isinstance(number, int) and 0 <= number < len(findings):
        wanted = [findings[number]]
    else:
        wanted = []
    refusals = Refusals(judge_of(source))
    edits = closure_edits(source, wanted, own, safe_only, project, refusals)
    return _ActionEdits(edits, tuple(item.message for item in refusals.findings))


def _workspace_edit(server: Server, document: Document, edits: Iterable[Edit]) -> types.WorkspaceEdit:
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
