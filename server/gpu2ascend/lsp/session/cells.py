"""The cells of an open notebook, and the composite that stands for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.notebook.composite import Composite
from gpu2ascend_rules.text.lines import ColumnUnit

from ..protocol_values.ranges import position_of, range_of
from ..protocol_values.uris import document_key

if TYPE_CHECKING:
    from .documents import Document


class Cells(NamedTuple):
    """What leads from the composite of a notebook back to the documents of its cells."""

    composite: Composite
    documents: tuple[Document, ...]
    """Those of the cells, in the composite's order."""

    def location(self, start: int, end: int, unit: ColumnUnit) -> types.Location:
        """The place in a cell of a span of the composite."""
        span = self.composite.span(start, end)
        document = self.documents[span.cell if span is not None else 0]
        first, last = (span.start, span.end) if span is not None else (0, 0)
        return types.Location(document.uri, range_of(document.lines, first, last, unit))

    def offset(self, uri: str, position: types.Position, unit: ColumnUnit) -> int | None:
        """The offset in the composite of a position in a cell; ``None`` in a cell that is left out."""
        key = document_key(uri)
        for index, document in enumerate(self.documents):
            if document_key(document.uri) == key:
                return self.composite.offset(index, document.lines.offset(position_of(position), unit))
        return None

    def edits(self, edits: Iterable[Edit]) -> list[tuple[Document, list[Edit]]]:
        """Edits of the composite by cell."""
        by_cell = self.composite.cell_edits(edits)
        return [(self.documents[cell], found) for cell, found in sorted(by_cell.items())]


class OpenNotebook(NamedTuple):
    """A notebook as its client arranges it: the URIs of all cells, in order."""

    uri: str
    version: int
    cells: tuple[types.NotebookCell, ...]

    def code(self) -> frozenset[str]:
        """The keys of the documents of the code cells."""
        code = types.NotebookCellKind.Code
        return frozenset(document_key(cell.document) for cell in self.cells if cell.kind == code)
