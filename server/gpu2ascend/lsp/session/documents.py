"""The open documents, each as one immutable version at a time.

pygls keeps documents too, but splits their lines at form feeds and U+2028; here the one line index counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

from gpu2ascend_rules.hosting import Composite, masked_part_cell
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.registry import kind_of, text_file
from gpu2ascend_rules.model.finding import Edit, Message
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex
from gpu2ascend_rules.text.plain.python_files import is_python
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

from ..conversion.ranges import position_of, range_of
from ..conversion.uris import document_key
from .text_changes import changed, storable

MAX_BYTES = 10_000_000
"""Size beyond which a document is kept, and not looked at: generated code or data, whatever its name."""


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


def too_large(uri: str) -> Message:
    """What to report of such a document."""
    return Message.of("lsp.too-large", uri=uri, limit=MAX_BYTES // 1_000_000)


class Document(NamedTuple):
    """One version of an open document."""

    uri: str
    version: int | None
    language: str
    source: TextFile
    cells: Cells | None = None
    """Of the composite of a notebook: its cells."""

    @property
    def lines(self) -> LineIndex:
        """Its line index."""
        return self.source.lines

    @property
    def is_python(self) -> bool:
        """Whether it holds Python."""
        return self.python is not None and (
            self.language == "python" or (not self.language and is_python(self.uri, self.source.text))
        )

    @property
    def python(self) -> SourceFile | None:
        """The source of a Python document; None for other kinds of files."""
        return self.source if isinstance(self.source, SourceFile) else None

    @property
    def is_examined(self) -> bool:
        """Whether there are rules for what it holds."""
        return self.is_python or isinstance(self.source, KindFile)

    @property
    def parts(self) -> tuple[Document, ...]:
        """The documents that the client knows: of a notebook its cells, else this one."""
        return (self,) if self.cells is None else self.cells.documents

    def location(self, start: int, end: int, unit: ColumnUnit) -> types.Location:
        """Where the client has a span of the source."""
        if self.cells is not None:
            return self.cells.location(start, end, unit)
        return types.Location(self.uri, range_of(self.lines, start, end, unit))

    def offset(self, uri: str, position: types.Position, unit: ColumnUnit) -> int | None:
        """The offset in the source of a place in one of :attr:`parts`; ``None`` where nothing is examined."""
        if self.cells is not None:
            return self.cells.offset(uri, position, unit)
        return self.lines.offset(position_of(position), unit)

    def edits(self, edits: Iterable[Edit]) -> list[tuple[Document, list[Edit]]]:
        """Edits of the source by the parts that they change, with offsets into these."""
        return [(self, sorted(edits))] if self.cells is None else self.cells.edits(edits)

    @property
    def is_too_large(self) -> bool:
        """Whether it is left alone for its size."""
        return len(self.source.data) > MAX_BYTES


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


class DocumentStore:
    """The documents that a client has open, by any spelling of their URIs."""

    def __init__(self) -> None:
        self.name_of: Callable[[str], str] = lambda uri: ""
        """How the document of a URI is named to the project view."""
        self._documents: dict[str, Document] = {}
        self._notebooks: dict[str, OpenNotebook] = {}
        self._composites: dict[str, Document] = {}
        self._composite_of_cell: dict[str, str] = {}
        self._lost: dict[str, Document] = {}
        """Documents whose text is no longer what the client has."""

    def __iter__(self) -> Iterator[Document]:
        """What is examined: documents, and notebooks as a whole instead of their cells."""
        plain = [item for key, item in self._documents.items() if key not in self._composite_of_cell]
        return iter((*plain, *self._composites.values()))

    def examined(self, uri: str) -> Document | None:
        """What is examined when a request is about a document: of a cell its notebook's composite.

        The composite is also found by its own URI.
        """
        key = document_key(uri)
        return self._composites.get(self._composite_of_cell.get(key, key)) or self._documents.get(key)

    def headed_by(self, uri: str) -> tuple[Document, str] | None:
        """What a document begins, with its URI: a file itself, the first code cell a whole notebook."""
        document = self.examined(uri)
        if document is None or document.cells is None:
            return None if document is None else (document, document.uri)
        for notebook in self._notebooks.values():
            first = notebook.first_code
            if self.open_notebook(notebook.uri) is document and first is not None:
                return (document, notebook.uri) if document_key(first) == document_key(uri) else None
        return None

    def is_current(self, document: Document) -> bool:
        """Whether a version is the last one of a document that is open."""
        return self.examined(document.uri) is document

    def notebook(self, uri: str) -> OpenNotebook | None:
        """An open notebook."""
        return self._notebooks.get(document_key(uri))

    def open_notebook(self, uri: str) -> Document | None:
        """The composite of an open notebook, by the notebook's own URI."""
        return self._composites.get(document_key(_composite_uri(uri)))

    def arrange(self, uri: str, version: int, cells: tuple[types.NotebookCell, ...]) -> Document:
        """Put the open documents of a notebook's cells together; gives the composite."""
        self.close_notebook(uri)
        notebook = self._notebooks[document_key(uri)] = OpenNotebook(uri, version, cells)
        documents = tuple(item for cell in cells if (item := self.get(cell.document)) is not None)
        code = notebook.code()
        texts = [
            item.source.text if document_key(item.uri) in code and _is_shown(item) else None
            for item in documents
        ]
        composite = Composite(texts, self.name_of(uri))
        name = _composite_uri(uri)
        document = Document(name, version, "python", composite.source, Cells(composite, documents))
        self._composites[document_key(name)] = document
        for item in documents:
            self._composite_of_cell[document_key(item.uri)] = document_key(name)
        return document

    def close_notebook(self, uri: str) -> Document | None:
        """Forget a notebook, and not the documents of its cells; gives its composite."""
        self._notebooks.pop(document_key(uri), None)
        composite = self._composites.pop(document_key(_composite_uri(uri)), None)
        for item in composite.parts if composite is not None else ():
            self._composite_of_cell.pop(document_key(item.uri), None)
        return composite

    def get(self, uri: str) -> Document | None:
        """The open document of a URI."""
        return self._documents.get(document_key(uri))

    def open(self, item: types.TextDocumentItem) -> Document:
        """Take in a document."""
        source = _text_file(storable(item.text), self.name_of(item.uri), item.language_id)
        document = Document(item.uri, item.version, item.language_id, source)
        key = document_key(item.uri)
        self._documents[key] = document
        self._lost.pop(key, None)
        return document

    def name_again(self) -> None:
        """Name all documents anew: the projects that they are in have changed."""
        for key, item in self._documents.items():
            name = self.name_of(item.uri)
            if name != item.source.path:
                source = _named(item, name)
                self._documents[key] = item._replace(source=source)
        for notebook in tuple(self._notebooks.values()):
            self.arrange(notebook.uri, notebook.version, notebook.cells)

    def close(self, uri: str) -> Document | None:
        """Forget a document."""
        self._lost.pop(document_key(uri), None)
        return self._documents.pop(document_key(uri), None)

    def lose(self, uri: str) -> Document | None:
        """Forget a document until the client sends its whole text; gives what was known of it."""
        document = self.close(uri)
        if document is not None:
            self._lost[document_key(uri)] = document
        return document

    def change(
        self,
        uri: str,
        version: int | None,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        unit: ColumnUnit,
    ) -> Document | None:
        """Apply changes; ``None`` for a document that is not open."""
        old = self.get(uri)
        if old is None and any(map(_is_whole, changes)):
            old = self._lost.pop(document_key(uri), None)
        if old is None:
            return None
        document = old._replace(version=version, source=changed(old.source, changes, unit))
        self._documents[document_key(uri)] = document
        return document


def _text_file(text: str, name: str, language: str) -> TextFile:
    """A text as what its name or the editor says that it is."""
    if language == "python":
        return SourceFile(text, name)
    return text_file(text, name, language)


def _named(document: Document, name: str) -> TextFile:
    """The source of a document under another name."""
    given = document.python
    if given is not None and kind_of(name, language=document.language) is None:
        return SourceFile(given.text, name, given.known_tree)
    return _text_file(document.source.text, name, document.language)


def _is_whole(change: types.TextDocumentContentChangeEvent) -> bool:
    """Whether a change replaces the whole text."""
    return isinstance(change, types.TextDocumentContentChangeWholeDocument)


def _is_shown(cell: Document) -> bool:
    """Whether there are rules for a cell; editors may call one that a magic hands to a shell a script."""
    return cell.is_python or masked_part_cell(cell.source.text) is not None


def _composite_uri(uri: str) -> str:
    """A name for the composite: the notebook's own may be that of its text, open beside it."""
    return f"{uri}#composite"
