"""``textDocument/hover``: what is known of the name under the cursor, and of what was found there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lsprotocol import types
from tree_sitter import Node

from gpu2ascend_rules.engine.registry import rule_by_code
from gpu2ascend_rules.explaining import documentation
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.packages.third_party import verdict_of_module
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.receivers.listed_members import api_at
from gpu2ascend_rules.text.source_file import SourceFile

from ..documentation.explanation import literals_as_code, page_of_api, page_of_package
from ..documentation.plain_text import plain_text
from ..documentation.rule_pages import link
from ..server import Server

_ROOTS = ("torch", "torch_npu", "apex", "torchvision")


class Page(NamedTuple):
    """What is known of a place, as Markdown, and the span that it is about."""

    markdown: str
    start: int
    end: int


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.documents.examined(params.text_document.uri)
        source = document.python if document is not None else None
        if document is None or source is None or not document.is_python or document.is_too_large:
            return None
        await server.ready()
        if not server.settings.of(document.uri).is_enabled:
            return None
        analysis = await server.analysis_of(document)
        offset = document.offset(params.text_document.uri, params.position, server.unit)
        if offset is None:
            return None
        here = tuple(item for item in analysis.findings if item.start <= offset <= item.end)
        language = server.settings.of(document.uri).language
        page = await server.worker.on_source(page_at, source, offset, here, analysis.options, language)
        if page is None:
            return None
        place = document.location(page.start, page.end, server.unit).range
        return types.Hover(_content(server, page.markdown), place)


def page_at(
    source: SourceFile, offset: int, found: tuple[Finding, ...], options: MigrationOptions, language: str
) -> Page | None:
    """What is known of the name at a place, under what was found there; ``None`` if that is nothing."""
    node = _name_at(source, offset)
    blocks = list(_found(found, language))
    name = api_named(source, node, options) if node is not None else None
    if name is not None:
        version, hardware = options.require_version(), options.hardware
        known = page_of_api(name, version, hardware, language, options.route, lists_rules=False)
        blocks += [known] if known is not None else []
    elif node is not None and (module := _module_named(source, node)) is not None:
        name, page = module, page_of_package(module, language)
        blocks += [page] if page is not None else []
    if not blocks:
        return None
    if name is not None and node is not None:
        start, end = node.start_byte, node.end_byte
    else:
        start, end = (found[0].start, found[0].end) if found else (offset, offset)
    return Page("\n\n---\n\n".join(blocks), start, end)


def api_named(source: SourceFile, node: Node, options: MigrationOptions) -> str | None:
    """The qualified name of the API that a name means, or that a member is of an object of PyTorch's.

    ``None`` for other names, and where the file does not prove what the object is.
    """
    resolution = source.names.qualified_name(node)
    if resolution is not None and resolution.qualified_name.partition(".")[0] in _ROOTS:
        return resolution.qualified_name
    if node.type != "attribute":
        return None
    return api_at(node, source, Facts.load(options.require_version(), options.hardware))


def _module_named(source: SourceFile, node: Node) -> str | None:
    """The module of others that a name means, if something is known of its package."""
    resolution = source.names.qualified_name(node)
    name = resolution.qualified_name if resolution is not None else ""
    verdict = verdict_of_module(name) if name else None
    return name if verdict is not None and name in verdict.modules else None


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


def _found(findings: Iterable[Finding], language: str) -> Iterator[str]:
    """Why each rule reports what was found; what it says of the place is in the diagnostic."""
    for code in dict.fromkeys(finding.code for finding in findings):
        rule = rule_by_code(code)
        why = documentation(rule, language).get("why", "") if rule is not None else ""
        address = link(code, language)
        shown = f"[{code}]({address})" if address is not None else code
        if why:
            yield f"{shown}: {literals_as_code(why)}"


def _content(server: Server, page: str) -> types.MarkupContent:
    """Markdown for a client that shows it, else plain text."""
    document = server.client_capabilities.text_document
    formats = document.hover.content_format if document and document.hover else None
    if types.MarkupKind.Markdown in (formats or ()):
        return types.MarkupContent(types.MarkupKind.Markdown, page)
    return types.MarkupContent(types.MarkupKind.PlainText, plain_text(page))
