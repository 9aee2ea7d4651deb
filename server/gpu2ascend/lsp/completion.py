"""``textDocument/completion``: names below torch_npu that the version has, and the NPU's device strings."""

from __future__ import annotations

from lsprotocol import types

from gpu2ascend_rules.completion import Suggestion, suggestions
from gpu2ascend_rules.lines import ColumnUnit, Position
from gpu2ascend_rules.options import MigrationOptions
from gpu2ascend_rules.source import SourceFile
from gpu2ascend_rules.support import Facts

from .server import Server

_OPTIONS = types.CompletionOptions(trigger_characters=[".", "'", '"', "(", ":"])

_KINDS = {
    "module": types.CompletionItemKind.Module,
    "class": types.CompletionItemKind.Class,
    "function": types.CompletionItemKind.Function,
    "method": types.CompletionItemKind.Method,
    "attribute": types.CompletionItemKind.Field,
    "device": types.CompletionItemKind.Constant,
}


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, _OPTIONS)
    async def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        await server.ready()
        document = server.documents.get(params.text_document.uri)
        if document is None or not document.is_python or document.is_too_large:
            return []
        options = server.settings.of(document.uri).options
        return completions(document.source, params.position, options, server.unit)


def completions(
    source: SourceFile, position: types.Position, options: MigrationOptions, unit: ColumnUnit
) -> list[types.CompletionItem]:
    """What may be typed at a place."""
    place = Position(position.line, position.character)
    offset = source.lines.offset(place, unit)
    facts = Facts.load(options.require_version(), options.hardware)
    return [_item(source, found, unit) for found in suggestions(source, offset, facts)]


def _item(source: SourceFile, found: Suggestion, unit: ColumnUnit) -> types.CompletionItem:
    start, end = (source.lines.position(offset, unit) for offset in (found.start, found.end))
    return types.CompletionItem(
        label=found.text,
        kind=_KINDS.get(found.kind, types.CompletionItemKind.Field),
        detail=found.qualified_name or None,
        filter_text=source.slice(found.start, found.end) + found.text[found.end - found.start :],
        text_edit=types.TextEdit(
            range=types.Range(types.Position(*start), types.Position(*end)), new_text=found.text
        ),
    )
