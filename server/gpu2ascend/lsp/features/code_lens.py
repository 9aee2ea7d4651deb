"""``textDocument/codeLens``: on the first line, what there is to do and the commands that do it.

Of a notebook they are above its first code cell, and are about all of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from gpu2ascend_rules.fixing import is_applied
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Finding, Message, Severity
from gpu2ascend_rules.options.options import MigrationOptions

from ..server import Server
from ..startup.announcement import MIGRATE_FILE, PREVIEW


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        headed = server.documents.headed_by(params.text_document.uri)
        if headed is None:
            return []
        document, uri = headed
        await server.ready()
        settings = server.settings.of(uri)
        if not settings.shows_code_lenses:
            return []
        analysis = await server.analysis_of(document)
        server.analyses.count(analysis)
        return code_lenses(uri, analysis.findings, settings.options, settings.language)


def code_lenses(
    uri: str, findings: Sequence[Finding], options: MigrationOptions, language: str
) -> list[types.CodeLens]:
    """The lenses of a file; none where there is nothing to do."""
    if not findings:
        return []
    to_do = [item for item in findings if item.severity is not Severity.HINT and not item.is_advice]
    fixable = sum(_is_made(item, options) for item in to_do)
    left = len(to_do) - fixable
    counts = Message.of("lsp.lens.counts", fixable=fixable, left=left)
    commands = [types.Command(title=render(counts, language), command="")]
    if any(_is_made(item, options) for item in findings):
        commands.append(_command("lsp.lens.migrate", MIGRATE_FILE, uri, language))
    if any(item.fix is not None for item in findings):
        commands.append(_command("lsp.lens.preview", PREVIEW, uri, language))
    start = types.Position(0, 0)
    return [types.CodeLens(range=types.Range(start, start), command=command) for command in commands]


def _is_made(finding: Finding, options: MigrationOptions) -> bool:
    return finding.fix is not None and is_applied(finding.fix, options)


def _command(title_id: str, name: str, uri: str, language: str) -> types.Command:
    title = render(Message.of(title_id), language)
    return types.Command(title=title, command=name, arguments=[{"uri": uri}])
