"""The open documents; a notebook stands for its cells while it is open."""

from __future__ import annotations

import pytest
from lsprotocol import types

from gpu2ascend.lsp.session import documents
from gpu2ascend.lsp.session.documents import DocumentStore

NOTEBOOK = "file:///a.ipynb"
CELLS = [f"vscode-notebook-cell:/a.ipynb#{number}" for number in range(2)]


def opened() -> DocumentStore:
    """A store with a notebook of two cells and a file beside it."""
    store = DocumentStore()
    for number, uri in enumerate(CELLS):
        store.open(types.TextDocumentItem(uri, types.LanguageKind.Python, 1, f"x{number} = 1"))
    store.open(types.TextDocumentItem("file:///b.py", types.LanguageKind.Python, 1, "y = 1"))
    cells = tuple(types.NotebookCell(kind=types.NotebookCellKind.Code, document=uri) for uri in CELLS)
    store.arrange(NOTEBOOK, 1, cells)
    return store


def test_of_an_open_notebook_its_composite_is_examined_and_not_its_cells() -> None:
    store = opened()
    composite = store.open_notebook(NOTEBOOK)
    assert composite is not None
    assert all(store.examined(uri) is composite for uri in CELLS)
    assert {item.uri for item in store} == {"file:///b.py", composite.uri}


def test_of_a_closed_notebook_the_cells_that_are_still_open_are_examined() -> None:
    store = opened()
    composite = store.close_notebook(NOTEBOOK)
    assert composite is not None
    assert store.open_notebook(NOTEBOOK) is None
    assert [store.examined(uri) for uri in CELLS] == [store.get(uri) for uri in CELLS]
    assert {item.uri for item in store} == {"file:///b.py", *CELLS}


def test_what_is_examined_is_current_until_another_version_takes_its_place() -> None:
    store = opened()
    before = store.open_notebook(NOTEBOOK)
    assert before is not None and store.is_current(before)
    cells = (types.NotebookCell(kind=types.NotebookCellKind.Code, document=CELLS[0]),)
    after = store.arrange(NOTEBOOK, 2, cells)
    assert store.is_current(after) and not store.is_current(before)
    assert store.examined(CELLS[1]) is store.get(CELLS[1])


@pytest.mark.parametrize(("size", "expected"), [(9, False), (10, False), (11, True), (100, True)])
def test_a_text_over_the_limit_is_too_large(
    monkeypatch: pytest.MonkeyPatch, size: int, expected: bool
) -> None:
    monkeypatch.setattr(documents, "MAX_BYTES", 10)
    document = DocumentStore().open(types.TextDocumentItem("file:///a.py", "python", 1, "x" * size))
    assert document.is_too_large is expected


def test_to_close_a_notebook_that_is_not_open_is_no_error() -> None:
    assert opened().close_notebook("file:///other.ipynb") is None
