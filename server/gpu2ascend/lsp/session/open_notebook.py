"""An open notebook, as its client arranges it."""

from __future__ import annotations

from typing import NamedTuple

from lsprotocol import types

from ..conversion.uris import document_key


class OpenNotebook(NamedTuple):
    """A notebook as its client arranges it: the URIs of all cells, in order."""

    uri: str
    version: int
    cells: tuple[types.NotebookCell, ...]

    def code(self) -> frozenset[str]:
        """The keys of the documents of the code cells."""
        code = types.NotebookCellKind.Code
        return frozenset(document_key(cell.document) for cell in self.cells if cell.kind == code)

    @property
    def first_code(self) -> str | None:
        """The document of the first code cell, above which stands what is said of the whole."""
        code = types.NotebookCellKind.Code
        return next((cell.document for cell in self.cells if cell.kind == code), None)
