"""The open documents, each as one immutable version at a time.

pygls keeps documents too, but splits their lines at form feeds and U+2028; here the one line index counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

from gpu2ascend_rules.lines import ColumnUnit, LineIndex
from gpu2ascend_rules.source import SourceFile

from .text_changes import changed, storable
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
        source = SourceFile(storable(item.text), _path(item.uri))
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
        document = old._replace(version=version, source=changed(old.source, changes, unit))
        self._documents[document_key(uri)] = document
        return document


def _path(uri: str) -> str:
    path = path_of(uri)
    return str(path) if path is not None else ""
