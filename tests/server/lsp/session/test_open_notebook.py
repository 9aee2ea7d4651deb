"""Of a notebook's cells those with code are looked at."""

from __future__ import annotations

from lsprotocol import types

from gpu2ascend.lsp.session.documents import OpenNotebook


def test_the_documents_of_the_code_cells_by_any_spelling_of_their_uris() -> None:
    code, text = types.NotebookCellKind.Code, types.NotebookCellKind.Markup
    cells = (
        types.NotebookCell(code, "vscode-notebook-cell:/a%20b#1"),
        types.NotebookCell(text, "vscode-notebook-cell:/a#2"),
        types.NotebookCell(code, "VSCODE-notebook-cell:/a#3"),
    )
    keys = {"vscode-notebook-cell:/a b#1", "vscode-notebook-cell:/a#3"}
    assert OpenNotebook("file:///a.ipynb", 1, cells).code() == keys
    assert OpenNotebook("file:///a.ipynb", 1, ()).code() == frozenset()
