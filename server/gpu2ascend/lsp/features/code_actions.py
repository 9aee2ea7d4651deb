"""``textDocument/codeAction`` and ``codeAction/resolve``.

What costs nothing is in the action at once; edits by LibCST, and those of a whole file, are made when the
client asks for the one action that was chosen, if it can ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from lsprotocol import types
from tree_sitter import Node

from gpu2ascend_rules.hosting import ignore_file, ignore_line, title_of
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Applicability, Finding, Fix, Message
from gpu2ascend_rules.text.plain.python_files import is_python
from gpu2ascend_rules.text.source_file import SourceFile

from ..conversion.json_messages import Encoded, encoded
from ..edits.equivalent_files import can_create_files, has_place
from ..server import Server
from ..session.analysis import Analysis
from ..session.documents import Document
from ..startup.announcement import EXPLAIN, FIX_ALL, NOTEBOOK_FIX_ALL
from .action_edits import What, analysis_for, resolved, workspace_edit
from .diagnostics.from_findings import diagnostic_of
from .refactorings import amp_refactorings
from .unit_actions import Offer, offer_of

_LOOPS = ("for_statement", "while_statement")
_STEP = b".backward("


def is_in_training(source: SourceFile, start: int, end: int) -> bool:
    """Whether a place is code of a loop that trains, or the line that starts the script.

    Args:
        start: Offset in bytes.
        end: Offset in bytes, at least ``start``.
    """
    first, last = _line(source.data, start, end)
    node = source.node_at(first, last - 1) if first < last else None
    if node is None or source.comment_at(start, end) is not None:
        return False
    return any(
        (item.type in _LOOPS and _STEP in source.data[item.start_byte : item.end_byte])
        or (item.start_byte == first and _is_main_guard(source, item))
        for item in _upwards(node)
    )


def _upwards(node: Node) -> Iterator[Node]:
    at: Node | None = node
    while at is not None:
        yield at
        at = at.parent


def _line(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The span of a place's lines without the blanks around them: the column does not matter."""
    first = data.rfind(b"\n", 0, start) + 1
    last = data.find(b"\n", end)
    text = data[first : last if last >= 0 else len(data)]
    return first + len(text) - len(text.lstrip()), first + len(text.rstrip())


def _is_main_guard(source: SourceFile, node: Node) -> bool:
    condition = node.child_by_field_name("condition") if node.type == "if_statement" else None
    if condition is None:
        return False
    text = source.data[condition.start_byte : condition.end_byte]
    return b"__name__" in text and b"__main__" in text


_INDEX_PATIENCE = 5.0
"""Seconds that fixes of a whole file wait for the project to be read; saving waits with them."""


class _Wanted(NamedTuple):
    """Which kinds of actions a client asks for."""

    kinds: tuple[str, ...] | None

    def has(self, kind: str) -> bool:
        if self.kinds is None:
            # Without a filter these would be in every menu; editors ask for them by name.
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
        analysis = await analysis_for(server, params.text_document.uri, any_version=wanted.is_of_whole_files)
        if analysis is None:
            return []
        place = types.Location(params.text_document.uri, params.range)
        # Of a selection there may be thousands: neither the loop nor a key waits for them.
        actions = await server.worker.aside(lambda: list(_actions(server, analysis, place, wanted)))
        if not _can_resolve(server):
            actions = [await resolved(server, action) for action in actions]
        return await server.worker.aside(partial(encoded, actions))

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> Encoded:
        with_edit = await resolved(server, action)
        return await server.worker.aside(partial(encoded, with_edit))


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
                yield offer.titled(make(What.FIX, finding, number, shown[number]), number, language)
        for code, (number, finding) in _by_rule(here).items():
            if _fixable(offer.of_file, code) > 1:
                yield make(What.RULE, finding, number, None)
        for _, (number, finding) in _by_rule(here).items():
            yield from _silencing(server, analysis.document, finding, language, shown[number])
            yield _explanation(finding, language)
    yield from _fix_all(analysis, offer, language, wanted)
    # Made at once, as by a client that cannot resolve, it would cost too much to be in every menu.
    is_asked = wanted.kinds is not None or (_can_resolve(server) and _trains_at(server, analysis, place))
    if is_asked and wanted.has(types.CodeActionKind.RefactorRewrite.value):
        yield from _refactorings(analysis, language)


def _trains_at(server: Server, analysis: Analysis, place: types.Location) -> bool:
    document = analysis.document
    start = document.offset(place.uri, place.range.start, server.unit)
    end = document.offset(place.uri, place.range.end, server.unit)
    if document.python is None or start is None or end is None:
        return False
    return is_in_training(document.python, start, end)


def _fix_all(analysis: Analysis, offer: Offer, language: str, wanted: _Wanted) -> Iterator[types.CodeAction]:
    if not any(item.applicability is Applicability.SAFE for item in offer.of_file):
        return
    of_notebooks = [NOTEBOOK_FIX_ALL] if analysis.document.cells is not None else []
    for kind in (FIX_ALL, *of_notebooks):
        if wanted.has(kind):
            title = render(Message.of("lsp.action.fix-all"), language)
            yield types.CodeAction(title, kind=kind, data=_data(analysis.document, What.ALL))


def _refactorings(analysis: Analysis, language: str) -> Iterator[types.CodeAction]:
    from gpu2ascend_rules.hosting import DISTRIBUTED_TITLE as TITLE
    from gpu2ascend_rules.hosting import offers_distributed as is_offered

    document, kind = analysis.document, types.CodeActionKind.RefactorRewrite
    source = document.python
    if source is None or not is_python(document.uri, source.text):
        return
    for precision in amp_refactorings(source, analysis.options):
        data = _data(document, What.AMP, precision=precision.value)
        yield types.CodeAction(render(precision.title, language), kind=kind, data=data)
    if is_offered(source):
        yield types.CodeAction(render(TITLE, language), kind=kind, data=_data(document, What.DISTRIBUTED))


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


def _action(
    server: Server,
    analysis: Analysis,
    language: str,
    what: What,
    finding: Finding,
    number: int,
    diagnostic: types.Diagnostic | None,
) -> types.CodeAction:
    document = analysis.document
    if what == What.RULE:
        title = render(Message.of("lsp.action.fix-rule", code=finding.code), language)
        data = _data(document, What.RULE, code=finding.code)
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
        data=_data(document, What.FIX, finding=number),
    )


def _silencing(
    server: Server, document: Document, finding: Finding, language: str, diagnostic: types.Diagnostic
) -> Iterator[types.CodeAction]:
    edits = {"line": ignore_line(document.source, finding), "file": ignore_file(document.source, finding)}
    for where, edit in edits.items():
        if edit is not None:
            yield types.CodeAction(
                render(Message.of(f"lsp.action.ignore-{where}", code=finding.code), language),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                edit=workspace_edit(server, document, [edit]),
                data=_data(document, What.IGNORE, where=where),
            )


def _explanation(finding: Finding, language: str) -> types.CodeAction:
    title = render(Message.of("lsp.action.explain", code=finding.code), language)
    command = types.Command(title, EXPLAIN, arguments=[{"name": finding.code, "show": True}])
    return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, command=command)


def _data(document: Document, what: What, **more: object) -> dict[str, object]:
    return {"uri": document.uri, "version": document.version, "what": what.value, **more}
