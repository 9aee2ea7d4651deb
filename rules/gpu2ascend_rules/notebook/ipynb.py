"""``.ipynb`` files: where the code cells are in the JSON text, and how new code is put back there.

The format is nbformat's, versions 3 and 4 (https://nbformat.readthedocs.io/en/latest/format_description.html).
The JSON is never written anew: only the string literals of changed source lines are replaced, so that
outputs, metadata, the order of keys, indentation and line ends stay as they are, whatever wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from ..text.plain.json_text import Array, CharacterPlaces, Object, String, Value, parse_json
from .source_lines import Source, rewritten, strings

_PYTHON = frozenset({"", "ipython", "ipython2", "ipython3", "python", "python2", "python3"})
"""What a notebook or cell can say of its language if it is Python's; most cells say nothing."""
_OTHER_LETTERS = re.compile(r"[^\x00-\x7f]")
_ESCAPED_LETTER = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])")


class NotebookError(Exception):
    """The text is no notebook: ``reason`` says why, in English as the JSON parser does; ``line`` from 1."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line}: {reason}")


class CodeCell(NamedTuple):
    """A code cell of a file."""

    number: int
    """Its place among all cells of the notebook, from 1."""
    source: Source
    language: str

    @property
    def text(self) -> str:
        """The code."""
        return "".join(string.value for string in strings(self.source))


class Notebook:
    """The text of an ``.ipynb`` file.
    Raises NotebookError: the text is no JSON, or not the JSON of a notebook."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.cells = tuple(_code_cells(_document(text)))
        """The code cells, in order."""
        self._places = CharacterPlaces(text)

    def sources(self) -> list[str | None]:
        """The code of each cell; ``None`` for cells in other languages."""
        return [cell.text if cell.language in _PYTHON else None for cell in self.cells]

    def line_of(self, cell: int, offset: int) -> int:
        """The line of the file, from 1, that holds a byte offset of the code of ``cells[cell]``."""
        source = self.cells[cell].source
        pieces = strings(source)
        ends = accumulate(len(piece.value.encode("utf-8", "surrogatepass")) for piece in pieces)
        holders = (piece.start for piece, end in zip(pieces, ends, strict=True) if offset < end)
        last = pieces[-1].start if pieces else source.start
        return self._places.of(next(holders, last))[0]

    def with_sources(self, changed: Mapping[int, str]) -> str:
        """The file with new code in some cells, by their place in :attr:`cells`."""
        ascii_only = not _OTHER_LETTERS.search(self.text) and bool(_ESCAPED_LETTER.search(self.text))
        parts: list[str] = []
        at = 0
        for index in sorted(changed):
            source = self.cells[index].source
            new = rewritten(self.text, source, changed[index], ascii_only=ascii_only)
            parts += (self.text[at : source.start], new)
            at = source.end
        return "".join((*parts, self.text[at:]))


def _document(text: str) -> Object:
    try:
        json.loads(text)  # in C, and what is wrong in the words that users of notebooks know
    except json.JSONDecodeError as error:
        raise NotebookError(error.lineno, error.msg) from error
    except RecursionError as error:
        raise NotebookError(1, "nested too deeply") from error
    document = parse_json(text, as_python=True)
    if not isinstance(document, Object) or "nbformat" not in document.members:
        raise NotebookError(1, "not a Jupyter notebook")
    return document


def _code_cells(document: Object) -> Iterator[CodeCell]:
    language = _language_of(document)
    for number, cell in enumerate(_cells(document), 1):
        if _text(cell, "cell_type") != "code":
            continue
        source = _member(cell, "source") or _member(cell, "input")
        if isinstance(source, String | Array):
            yield CodeCell(number, source, _language_of_cell(cell) or language)


def _cells(document: Object) -> Iterable[Value]:
    """The cells; before version 4 they are in work sheets, of which no program ever made a second."""
    sheets = _member(document, "worksheets")
    holders: Iterable[Value] = sheets.items if isinstance(sheets, Array) else [document]
    for holder in holders:
        cells = _member(holder, "cells")
        if isinstance(cells, Array):
            yield from cells.items


def _language_of(document: Object) -> str:
    metadata = _member(document, "metadata")
    return _text(_member(metadata, "language_info"), "name") or _text(
        _member(metadata, "kernelspec"), "language"
    )


def _language_of_cell(cell: Value) -> str:
    """What version 3 and editors of several languages note of a single cell."""
    editor = _member(_member(cell, "metadata"), "vscode")
    return _text(editor, "languageId") or _text(cell, "language")


def _member(value: Value | None, name: str) -> Value | None:
    member = value.members.get(name) if isinstance(value, Object) else None
    return member.value if member is not None else None


def _text(value: Value | None, name: str) -> str:
    member = _member(value, name)
    return member.value.lower() if isinstance(member, String) else ""
