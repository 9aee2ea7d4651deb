"""Cells of a notebook in an editor: what one imports the next ones know, and every edit goes to its cell."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.test_editing import apply

pytestmark = [
    pytest.mark.slow,
    # One that asks for the diagnostics of files, though not of cells, and one that never asks; Emacs knows no
    # notebooks.
    pytest.mark.parametrize("client", ["visual_studio_code", "neovim"], indirect=True),
    pytest.mark.one_in(2),
]

PATIENCE_SECONDS = 60.0
NOTEBOOK = "file:///project/train.ipynb"
CELLS = (
    "%%time\nimport torch as th\n",
    "!ls\n# 😀 é\n x = 1",
    "th.cuda.synchronize()\nth.cuda.empty_cache()",
)


def uri(name: str) -> str:
    return f"vscode-notebook-cell:/project/train.ipynb#{name}"


def cell(name: str, kind: types.NotebookCellKind = types.NotebookCellKind.Code) -> types.NotebookCell:
    return types.NotebookCell(kind=kind, document=uri(name))


def item(name: str, text: str) -> types.TextDocumentItem:
    return types.TextDocumentItem(uri(name), "python", 1, text)


def open_notebook(client: LanguageClient, *texts: str) -> None:
    names = [str(number) for number in range(len(texts))]
    markup = cell("text", types.NotebookCellKind.Markup)
    client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(NOTEBOOK, "jupyter-notebook", 1, [markup, *map(cell, names)]),
            [item(name, text) for name, text in zip(names, texts, strict=True)],
        )
    )


def change(client: LanguageClient, cells: types.NotebookDocumentCellChanges, version: int = 2) -> None:
    client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(version, NOTEBOOK),
            types.NotebookDocumentChangeEvent(cells=cells),
        )
    )


async def diagnostics(client: LanguageClient, name: str, *, count: int) -> list[types.Diagnostic]:
    """What the client was sent of a cell last, as soon as it is so many.
    Raises TimeoutError: it has not been so many."""
    return await asyncio.wait_for(_diagnostics(client, uri(name), count), PATIENCE_SECONDS)


async def _diagnostics(client: LanguageClient, cell: str, count: int) -> list[types.Diagnostic]:
    # Between the look and the wait nothing may come: the two are in one task.
    while cell not in client.diagnostics or len(client.diagnostics[cell]) != count:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return list(client.diagnostics[cell])


async def hover(client: LanguageClient, name: str, line: int, column: int) -> types.Hover | None:
    return await client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri(name)), types.Position(line, column))
    )


async def edits(client: LanguageClient, action: types.CodeAction) -> dict[str, list[types.TextEdit]]:
    if action.edit is None:
        action = await client.code_action_resolve_async(action)
    assert action.edit is not None
    if action.edit.document_changes:
        return {
            part.text_document.uri: [edit for edit in part.edits if isinstance(edit, types.TextEdit)]
            for part in action.edit.document_changes
            if isinstance(part, types.TextDocumentEdit)
        }
    return {name: list(found) for name, found in (action.edit.changes or {}).items()}


async def actions(client: LanguageClient, name: str, only: list[str] | None = None) -> list[types.CodeAction]:
    place = types.Range(types.Position(0, 4), types.Position(0, 4))
    found = await client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri(name)), place, types.CodeActionContext([], only=only)
        )
    )
    return [action for action in found or [] if isinstance(action, types.CodeAction)]


async def test_names_cross_cells_and_places_count_in_the_cell(client: LanguageClient) -> None:
    open_notebook(client, *CELLS)
    found = await diagnostics(client, "2", count=2)
    assert [(one.code, one.range.start.line, one.range.start.character) for one in found] == [
        ("NPU101", 0, 0),
        ("NPU101", 1, 0),
    ]
    await diagnostics(client, "0", count=0)
    await diagnostics(client, "1", count=0)


async def test_a_report_on_a_cell_repeats_nothing_that_was_sent(client: LanguageClient) -> None:
    open_notebook(client, *CELLS)
    await diagnostics(client, "2", count=2)
    asked = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri("2")))
    report = await client.text_document_diagnostic_async(asked)
    assert client.diagnostics[uri("2")]
    assert report.kind == "full" and list(report.items) == []


async def test_a_fix_goes_to_its_cell_and_its_import_to_the_one_that_imports_torch(
    client: LanguageClient,
) -> None:
    open_notebook(client, *CELLS)
    fix = next(action for action in await actions(client, "2") if action.is_preferred)
    changed = await edits(client, fix)
    assert apply(CELLS[0], changed[uri("0")]) == "%%time\nimport torch as th\nimport torch_npu\n"
    assert apply(CELLS[2], changed[uri("2")]).startswith("torch_npu.npu.synchronize()\nth.cuda")


@pytest.mark.parametrize("kind", ["source.fixAll", "notebook.source.fixAll", "notebook"])
async def test_fix_all_fixes_every_cell(client: LanguageClient, kind: str) -> None:
    open_notebook(client, *CELLS)
    (fix,) = await actions(client, "2", [kind])
    changed = await edits(client, fix)
    assert apply(CELLS[2], changed[uri("2")]) == "torch_npu.npu.synchronize()\ntorch_npu.npu.empty_cache()"


async def test_silencing_a_rule_for_the_file_leaves_the_magic_first(client: LanguageClient) -> None:
    open_notebook(client, *CELLS)
    silence = next(
        action for action in await actions(client, "2") if action.title == "Ignore NPU101 in this file"
    )
    changed = await edits(client, silence)
    assert apply(CELLS[0], changed[uri("0")]).startswith("%%time\n# gpu2ascend: ignore-file[NPU101]\n")


async def test_hover_knows_the_import_of_another_cell(client: LanguageClient) -> None:
    open_notebook(client, *CELLS)
    found = await hover(client, "2", 1, 10)
    assert found is not None and isinstance(found.contents, types.MarkupContent)
    assert "torch.cuda.empty_cache" in found.contents.value
    assert found.range == types.Range(types.Position(1, 0), types.Position(1, 19))


async def test_a_change_in_one_cell_shows_in_another(client: LanguageClient) -> None:
    open_notebook(client, *CELLS)
    await diagnostics(client, "2", count=2)
    place = types.Range(types.Position(1, 16), types.Position(1, 18))
    content = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, uri("0")),
        [types.TextDocumentContentChangePartial(text="t", range=place)],
    )
    change(client, types.NotebookDocumentCellChanges(text_content=[content]))
    await diagnostics(client, "2", count=0)


async def test_cells_come_and_go(client: LanguageClient) -> None:
    open_notebook(client, *CELLS)
    await diagnostics(client, "2", count=2)
    gone = types.NotebookDocumentCellChangeStructure(
        types.NotebookCellArrayChange(1, 1, []), did_close=[types.TextDocumentIdentifier(uri("0"))]
    )
    change(client, types.NotebookDocumentCellChanges(structure=gone))
    await diagnostics(client, "2", count=0)
    back = types.NotebookDocumentCellChangeStructure(
        types.NotebookCellArrayChange(1, 0, [cell("3")]), did_open=[item("3", "import torch as th")]
    )
    change(client, types.NotebookDocumentCellChanges(structure=back), 3)
    await diagnostics(client, "2", count=2)


async def test_a_cell_that_becomes_text_shows_nothing(client: LanguageClient) -> None:
    open_notebook(client, *CELLS)
    await diagnostics(client, "2", count=2)
    change(client, types.NotebookDocumentCellChanges(data=[cell("2", types.NotebookCellKind.Markup)]))
    await diagnostics(client, "2", count=0)


async def test_a_closed_notebook_is_forgotten(client: LanguageClient) -> None:
    open_notebook(client, *CELLS)
    await diagnostics(client, "2", count=2)
    client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(NOTEBOOK),
            [types.TextDocumentIdentifier(uri(str(number))) for number in range(3)],
        )
    )
    await diagnostics(client, "2", count=0)
