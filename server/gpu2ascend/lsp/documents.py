"""The open documents, each as one immutable version at a time.

pygls keeps documents too, but splits their lines at form feeds and U+2028; here the one line index counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types
from tree_sitter import Point, Tree

from gpu2ascend_rules.lines import ColumnUnit, LineIndex, Position
from gpu2ascend_rules.source import SourceFile

from .uris import document_key, path_of

MAX_BYTES = 10_000_000
"""Size beyond which a document is kept, and not looked at: generated code or data, whatever its name."""


class Document(NamedTuple):
    """One version of an open document."""

    uri: str
    version: int | None
    language: str
    source: SourceFile

    @property
    def lines(self) -> LineIndex:
        """Its line index."""
        return self.source.lines

    @property
    def is_python(self) -> bool:
        """Whether it holds Python."""
        return self.language == "python" or (not self.language and self.uri.endswith((".py", ".pyw")))

    @property
    def is_too_large(self) -> bool:
        """Whether it is left alone for its size."""
        return len(self.source.data) > MAX_BYTES


class DocumentStore:
    """The documents that a client has open, by any spelling of their URIs."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._documents.values()))

    def get(self, uri: str) -> Document | None:
        """The open document of a URI."""
        return self._documents.get(document_key(uri))

    def open(self, item: types.TextDocumentItem) -> Document:
        """Take in a document."""
        source = SourceFile(_storable(item.text), _path(item.uri))
        document = Document(item.uri, item.version, item.language_id, source)
        self._documents[document_key(item.uri)] = document
        return document

    def close(self, uri: str) -> Document | None:
        """Forget a document."""
        return self._documents.pop(document_key(uri), None)

    def change(
        self,
        uri: str,
        version: int | None,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        unit: ColumnUnit,
    ) -> Document | None:
        """Apply changes; ``None`` for a document that is not open."""
        old = self.get(uri)
        if old is None:
            return None
        source = old.source
        for change in changes:
            source = _changed(source, change, unit)
        document = old._replace(version=version, source=source)
        self._documents[document_key(uri)] = document
        return document


def _changed(
    source: SourceFile, change: types.TextDocumentContentChangeEvent, unit: ColumnUnit
) -> SourceFile:
    text = _storable(change.text)
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return SourceFile(text, source.path)
    start = source.lines.offset(_position(change.range.start), unit)
    end = max(start, source.lines.offset(_position(change.range.end), unit))
    new = text.encode("utf-8", "surrogatepass")
    data = source.data[:start] + new + source.data[end:]
    changed = SourceFile(data.decode("utf-8", "surrogatepass"), source.path, _edited(source, start, end, new))
    return changed


def _edited(source: SourceFile, start: int, end: int, new: bytes) -> Tree | None:
    """The old tree, told of an edit, so that the next parse only looks at what has changed."""
    old = source.known_tree
    if old is None:
        return None
    tree = old.copy()
    lines = source.lines
    first, last = lines.position(start, ColumnUnit.BYTE), lines.position(end, ColumnUnit.BYTE)
    inserted = LineIndex(new).position(len(new), ColumnUnit.BYTE)
    column = inserted.column if inserted.line else first.column + inserted.column
    tree.edit(
        start,
        end,
        start + len(new),
        Point(first.line, first.column),
        Point(last.line, last.column),
        Point(first.line + inserted.line, column),
    )
    return tree


def _position(position: types.Position) -> Position:
    return Position(position.line, position.character)


def _storable(text: str) -> str:
    """A text of which a client's halves of surrogate pairs have been put together again."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _path(uri: str) -> str:
    path = path_of(uri)
    return str(path) if path is not None else ""
