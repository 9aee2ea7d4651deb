"""``textDocument/hover``: what is known of the name under the cursor, and of what was found there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types
from tree_sitter import Node

from gpu2ascend_rules.finding import Finding
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.source import SourceFile

from .diagnostics import DOCUMENTATION
from .explanation import explanation
from .server import Server

_ROOTS = ("torch", "torch_npu", "apex", "torchvision")
_MARKUP = re.compile(r"\*\*(.+?)\*\*|`([^`\n]+)`|^#+ ", re.M)


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.documents.examined(params.text_document.uri)
        if document is None or not document.is_python or document.is_too_large:
            return None
        analysis = await server.analysis_of(document)
        offset = document.offset(params.text_document.uri, params.position, server.unit)
        if offset is None:
            return None
        node = _name_at(document.source, offset)
        language = server.settings.of(document.uri).language
        blocks = list(_found(analysis.findings, offset, language))
        options = analysis.options
        name = qualified_name(document.source, node) if node is not None else None
        if name is not None:
            known = explanation(name, options.require_version(), options.hardware, language)
            blocks += [known.markdown] if known.kind == "api" else []
        if not blocks:
            return None
        around = node if node is not None else document.source.node_at(offset, offset)
        place_of = (
            document.location(around.start_byte, around.end_byte, server.unit).range
            if around is not None
            else None
        )
        return types.Hover(_content(server, "\n\n---\n\n".join(blocks)), place_of)


def qualified_name(source: SourceFile, node: Node) -> str | None:
    """The qualified name of an API that is named at a place; ``None`` for other names."""
    resolution = source.names.qualified_name(node)
    if resolution is None or resolution.qualified_name.partition(".")[0] not in _ROOTS:
        return None
    return resolution.qualified_name


def _name_at(source: SourceFile, offset: int) -> Node | None:
    """The dotted name that ends with the identifier at a place."""
    node = source.node_at(offset, offset)
    if node is None or node.type != "identifier":
        node = source.node_at(max(0, offset - 1), max(0, offset - 1)) if offset else None
    if node is None or node.type != "identifier":
        return None
    parent = node.parent
    if parent is not None and parent.type == "attribute" and parent.child_by_field_name("attribute") == node:
        return parent
    return node


def _found(findings: tuple[Finding, ...], offset: int, language: str) -> Iterator[str]:
    for finding in findings:
        if finding.start <= offset <= finding.end:
            link = f"{DOCUMENTATION}#{finding.code.lower()}"
            yield f"{render(finding.message, language)} ([{finding.code}]({link}))"


def _content(server: Server, markdown: str) -> types.MarkupContent:
    """Markdown for a client that shows it, else plain text."""
    document = server.client_capabilities.text_document
    formats = document.hover.content_format if document and document.hover else None
    if types.MarkupKind.Markdown in (formats or ()):
        return types.MarkupContent(types.MarkupKind.Markdown, markdown)
    plain = _MARKUP.sub(lambda match: match[1] or match[2] or "", markdown)
    return types.MarkupContent(types.MarkupKind.PlainText, re.sub(r"\[(.+?)\]\((.+?)\)", r"\1: \2", plain))
