"""``textDocument/completion``: names below torch_npu that the version has, and the NPU's device strings."""

from __future__ import annotations

from lsprotocol import types

from gpu2ascend_rules.complete import Suggestion, suggestions
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.lines import ColumnUnit

from ..server import Server
from ..session.documents import Document

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

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    async def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        await server.ready()
        uri = params.text_document.uri
        document = server.documents.examined(uri)
        if document is None or not document.is_python or document.is_too_large:
            return []
        settings = server.settings.of(document.uri)
        if not settings.is_enabled:
            return []
        options = settings.options
        offset = document.offset(uri, params.position, server.unit)
        return [] if offset is None else completions(document, offset, options, server.unit)


def completions(
    document: Document, offset: int, options: MigrationOptions, unit: ColumnUnit
) -> list[types.CompletionItem]:
    """What may be typed at an offset of a document's source: names of the package that brings the device."""
    if options.route.device_module is None:
        return []
    facts = Facts.load(options.require_version(), options.hardware)
    source = document.python
    found = suggestions(source, offset, facts) if source is not None else ()
    return [_item(document, item, unit) for item in found]


def _item(document: Document, found: Suggestion, unit: ColumnUnit) -> types.CompletionItem:
    written = document.source.slice(found.start, found.end)
    return types.CompletionItem(
        label=found.text,
        kind=_KINDS.get(found.kind, types.CompletionItemKind.Field),
        detail=found.qualified_name or None,
        filter_text=written + found.text[found.end - found.start :],
        text_edit=types.TextEdit(
            range=document.location(found.start, found.end, unit).range, new_text=found.text
        ),
    )
