"""The import statements of a Python file, found by pattern: one search for all who ask about a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_WORD = b"import"
_STATEMENT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,9999}\)|(?:[^\n\\]|\\\r?\n){0,9999})"
    rb"|import[ \t]+([\w., \t]{1,9999}))",
    re.MULTILINE,
)


_EXPORTS = re.compile(
    rb"\s*(?:(?:async )?def _*(?:export|deploy|to_onnx|to_tensorrt)"
    rb"|(?:el)?if\b(?!.*(?:!=|\bnot\b|\bor\b)).*==[ \t]*[\"'](?:export|deploy|to_onnx|to_tensorrt)\w*[\"'])"
)
_MAY_EXPORT = (b"export", b"deploy", b"to_onnx", b"to_tensorrt")
_PLAIN = re.compile(rb"[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?){0,999}")
"""The modules of a plain import, without what follows in a text that only reads like one."""
_MOST_LINES = 400
"""Lines above a statement among which the headers of the blocks around it are."""


class ImportStatement(NamedTuple):
    """One statement, or a line of a text that reads like one."""

    source: bytes
    """The module of ``from``; empty for a plain import."""
    names: bytes
    """What stands behind ``from ... import``, with brackets, remarks and continuations."""
    plain: bytes
    """What stands behind a plain ``import``."""
    is_outer: bool
    """Whether it begins in the first column, where no test and no ``try`` is around it."""
    is_of_export: bool = False
    """Whether it is in a function that exports or deploys a model, by its name, or below a test for that."""

    @property
    def modules(self) -> tuple[bytes, ...]:
        """The modules that it names, with the packages before them."""
        listed = _PLAIN.match(self.plain)
        if listed is None:
            return (self.source,)
        return tuple(part.split()[0] for part in listed[0].split(b","))


@lru_cache(maxsize=1)
def import_statements(python: bytes) -> tuple[ImportStatement, ...]:
    """Those of a file, in the order of its text."""
    return tuple(_found(python))


def _found(python: bytes) -> Iterator[ImportStatement]:
    """Those of the lines that have the word: to try the pattern on each line takes several times as long."""
    end, at = 0, python.find(_WORD)
    may_export = any(word in python for word in _MAY_EXPORT)
    while at >= 0:
        start = python.rfind(b"\n", 0, at) + 1
        match = _STATEMENT.match(python, start) if start >= end else None
        if match is not None:
            source, names, plain = match.groups(b"")
            is_outer = python[start] not in b" \t"
            is_of_export = may_export and not is_outer and _is_of_export(python, start)
            yield ImportStatement(source, names, plain, is_outer, is_of_export)
            end = match.end()
        at = python.find(_WORD, max(end, at + 1))


def _is_of_export(python: bytes, start: int) -> bool:
    """Whether the header of a block around a line that begins there says so."""
    depth, end = _indent(python, start), start
    for _ in range(_MOST_LINES):
        if not depth or not end:
            return False
        first = python.rfind(b"\n", 0, end - 1) + 1
        around = _indent(python, first)
        if around < depth and python[first:end].strip():
            if _EXPORTS.match(python, first, end) is not None:
                return True
            depth = around
        end = first
    return False


def _indent(python: bytes, start: int) -> int:
    at = start
    while python[at : at + 1] in (b" ", b"\t"):
        at += 1
    return at - start
