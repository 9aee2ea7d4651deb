"""The names that a text imports, read off its import statements without a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..outline.written import LETTERS, places_of

_FROM = re.compile(rb"(?:.*[^%b.])?from(?![%b])([%b.\s]*)" % (LETTERS, LETTERS, LETTERS), re.DOTALL)
_IN_PARENTHESES = re.compile(rb"[ \t\f]*\(([^()#]*(?:#[^\n]*\n[^()#]*)*)\)")
_TO_THE_END = re.compile(rb"(?:[^\n;\\#]+|\\\r?\n)*")
_COMMENT = re.compile(rb"#[^\n]*")
_ITEM = re.compile(rb"([%b.]+)(?:\s+as\s+([%b]+))?" % (LETTERS, LETTERS))
_CONTINUED = re.compile(rb"\\\r?\n")
_UNCLEAR = re.compile(rb"[(*\\]|\s\.|\.\s|\bimport\b")
_LONGEST_MODULE = 500
"""Bytes of a line before the word ``import`` that are looked at."""


class UnclearError(Exception):
    """The text is written in a way that only a tree shows what it says."""


class Imported(NamedTuple):
    """A name that an import may bind."""

    name: str
    """``*`` for a star import."""
    target: str
    """The qualified name that it is bound to, relative modules with their leading dots."""
    imported: str
    """What is imported: ``a.b`` for ``import a.b``, which binds ``a``; a module for its star import."""


def imports_in(data: bytes) -> Iterator[Imported]:
    """Every name that an import statement of a text may bind, and others: comments are read, too.

    Raises:
        UnclearError: one is written in an odd way.
    """
    for start in places_of(data, b"import"):
        module = _FROM.fullmatch(_line_before(data, start))
        items = _items(data, start + len(b"import"))
        if module is None:
            yield from (_module(imported, alias) for imported, alias in items)
            continue
        prefix = as_text(b"".join(module[1].split()))
        dot = "" if prefix.endswith(".") else "."
        for imported, alias in items:
            target = prefix if imported == b"*" else f"{prefix}{dot}{as_text(imported)}"
            yield Imported(as_text(alias or imported), target, target)


def _line_before(data: bytes, start: int) -> bytes:
    """The line up to the word ``import``."""
    first = max(0, start - _LONGEST_MODULE)
    line = max(first, data.rfind(b"\n", first, start) + 1)
    before = data[line:start]
    if not before.strip() and (line == first > 0 or data[:line][-3:].rstrip(b"\r\n").endswith(b"\\")):
        raise UnclearError
    return before


def _items(data: bytes, start: int) -> list[tuple[bytes, bytes]]:
    """What stands behind the word ``import``, each with what it is called."""
    match = _IN_PARENTHESES.match(data, start)
    if match is not None:
        written = _COMMENT.sub(b"", match[1])
    else:
        match = _TO_THE_END.match(data, start)
        end = match.end() if match is not None else start
        if data[end : end + 1] == b"\\":
            raise UnclearError
        written = _CONTINUED.sub(b" ", data[start:end])
    if written.strip() == b"*":
        return [(b"*", b"")]
    if _UNCLEAR.search(written):
        raise UnclearError
    return _ITEM.findall(written)


def _module(imported: bytes, alias: bytes) -> Imported:
    name = as_text(imported)
    if alias:
        return Imported(as_text(alias), name, name)
    root = name.partition(".")[0]
    return Imported(root, root, name)


def as_text(raw: bytes) -> str:
    """Bytes of a source as text."""
    return raw.decode("utf-8", "surrogatepass")
