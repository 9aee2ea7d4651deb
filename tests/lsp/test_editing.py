"""What an editor sees of one file: diagnostics, actions, hover."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

# CI runs each test with one of the three editors: few depend on which one it is.
pytestmark = [pytest.mark.slow, pytest.mark.one_in(3)]

URI = "file:///project/train.py"
TEXT = "import torch\n# \u2028 \f 模型 😀\nx = torch.zeros(1).cuda()\ny = x.cuda()\n"


def apply(text: str, edits: list[types.TextEdit]) -> str:
    """The text after edits; columns count UTF-16, lines as in LSP."""
    lines = text.split("\n")

    def offset(position: types.Position) -> int:
        before = "\n".join(lines[: position.line]) + ("\n" if position.line else "")
        units = lines[position.line].encode("utf-16-le")[: 2 * position.character]
        return len(before) + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda item: offset(item.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


async def open_file(client: LanguageClient, text: str = TEXT) -> tuple[types.Diagnostic, ...]:
    """Open a file, and get its diagnostics the way the client gets them."""
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(URI, "python", 1, text))
    )
    return await diagnostics(client)


async def diagnostics(client: LanguageClient, version: int = 1) -> tuple[types.Diagnostic, ...]:
    """The diagnostics of a version; those of another may be sent more than once meanwhile."""
    document = client.capabilities.text_document
    if document is not None and document.diagnostic is not None:
        report = await client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(URI))
        )
        return tuple(report.items)
    while True:
        reported = await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        if reported.version == version:
            return tuple(reported.diagnostics)


async def actions(
    client: LanguageClient, line: int, only: list[str] | None = None
) -> dict[str, types.CodeAction]:
    place = types.Range(types.Position(line, 4), types.Position(line, 4))
    found = await client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(URI), place, types.CodeActionContext([], only=only)
        )
    )
    return {action.title: action for action in found or [] if isinstance(action, types.CodeAction)}


async def edited(client: LanguageClient, action: types.CodeAction, text: str = TEXT) -> str:
    if action.edit is None:
        action = await client.code_action_resolve_async(action)
    assert action.edit is not None
    if action.edit.document_changes:
        change = action.edit.document_changes[0]
        assert isinstance(change, types.TextDocumentEdit)
        return apply(text, [edit for edit in change.edits if isinstance(edit, types.TextEdit)])
    assert action.edit.changes is not None
    return apply(text, list(action.edit.changes[URI]))


async def test_findings_are_shown_at_their_places(client: LanguageClient) -> None:
    found = await open_file(client)
    assert [(item.code, item.range.start.line) for item in found] == [("NPU110", 2), ("NPU110", 3)]


async def test_a_quick_fix_brings_its_import(client: LanguageClient) -> None:
    await open_file(client)
    found = await actions(client, 3)
    fix = next(item for item in found.values() if item.is_preferred)
    assert await edited(client, fix) == TEXT.replace("y = x.cuda()", "y = x.npu()").replace(
        "import torch\n", "import torch\nimport torch_npu\n"
    )


async def test_fix_all_fixes_all(client: LanguageClient) -> None:
    await open_file(client)
    (fix,) = (await actions(client, 0, ["source.fixAll"])).values()
    assert await edited(client, fix) == TEXT.replace(".cuda()", ".npu()").replace(
        "import torch\n", "import torch\nimport torch_npu\n"
    )


def type_at_start(client: LanguageClient, version: int, text: str) -> None:
    start = types.Position(0, 0)
    change = types.TextDocumentContentChangePartial(types.Range(start, start), text)
    identifier = types.VersionedTextDocumentIdentifier(version, URI)
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))


async def test_fix_all_fixes_what_another_extension_has_changed_before(client: LanguageClient) -> None:
    await open_file(client)
    (fix,) = (await actions(client, 0, ["source.fixAll"])).values()
    type_at_start(client, 2, "import os\n")
    if fix.edit is not None:
        return  # the editor cannot resolve, has it at once, and knows of which version it is
    assert await edited(client, fix, "import os\n" + TEXT) == "import os\n" + TEXT.replace(
        ".cuda()", ".npu()"
    ).replace("import torch\n", "import torch\nimport torch_npu\n")


async def test_fix_all_is_answered_though_the_file_changes_meanwhile(client: LanguageClient) -> None:
    await open_file(client)
    type_at_start(client, 2, "import os\n")
    asked = asyncio.ensure_future(actions(client, 0, ["source.fixAll"]))
    await asyncio.sleep(0)  # the request is on its way
    type_at_start(client, 3, "import sys\n")
    (fix,) = (await asked).values()
    assert fix.kind == "source.fixAll.gpu2ascend"


async def test_the_empty_kind_asks_for_every_action(client: LanguageClient) -> None:
    await open_file(client)
    kinds = {action.kind for action in (await actions(client, 3, [""])).values()}
    assert {"quickfix", "source.fixAll.gpu2ascend"} <= kinds


async def test_a_rule_can_be_silenced_fixed_everywhere_and_explained(client: LanguageClient) -> None:
    await open_file(client)
    found = await actions(client, 3)
    assert await edited(client, found["Ignore NPU110 on this line"]) == TEXT.replace(
        "y = x.cuda()", "y = x.cuda()  # gpu2ascend: ignore[NPU110]"
    )
    silenced = await edited(client, found["Ignore NPU110 in this file"])
    assert silenced == "# gpu2ascend: ignore-file[NPU110]\n" + TEXT
    of_rule = await edited(client, found["Fix all NPU110 problems in this file"])
    assert of_rule == TEXT.replace(".cuda()", ".npu()").replace(
        "import torch\n", "import torch\nimport torch_npu\n"
    )
    page = await client.workspace_execute_command_async(
        types.ExecuteCommandParams("gpu2ascend.explain", [{"name": "NPU110"}])
    )
    assert page["kind"] == "rule" and page["markdown"].startswith("### NPU110")


async def test_hover_shows_the_support_of_an_api(client: LanguageClient) -> None:
    await open_file(client, "import torch as th\nth.cuda.empty_cache()\n")
    place = types.Position(1, 10)
    hover = await client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(URI), place)
    )
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert "torch.cuda.empty_cache" in hover.contents.value and "2.8.0" in hover.contents.value


async def test_diagnostics_follow_the_text(client: LanguageClient) -> None:
    await open_file(client)
    place = types.Range(types.Position(3, 0), types.Position(3, 12))
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, URI),
            [types.TextDocumentContentChangePartial(place, "(")],
        )
    )
    found = await diagnostics(client, version=2)
    assert [(item.code, item.range.start.line) for item in found] == [("NPU110", 2)]
