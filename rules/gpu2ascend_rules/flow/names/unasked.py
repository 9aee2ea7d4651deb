"""Whether an edit of a module is of statements that nobody looked at, and to which no question leads.

Then the module is linked as it was. What is compared is what was asked of it (``text/asked.py``) with the
statements of the module around the edit, before and after: these alone are parsed.
"""

from __future__ import annotations

from tree_sitter import Node

from ...model.project.decisions import common_bytes
from ...model.project.shifts import Shift
from ...text.asked import Asked
from ...text.source_file import SourceFile

_PLAIN = frozenset(
    {"comment", "expression_statement", "function_definition", "class_definition", "decorated_definition"}
)
"""Statements of a module that decide nothing about those beside them."""
_MOST_BYTES = 100_000
"""Of the statements around an edit, beyond which the module counts as another."""


def unasked_edit(source: SourceFile, text: str) -> Shift | None:
    """The edit that makes one text of another and changes no answer; None where it may change one.

    Args:
        source: The module before, of which everything was asked that counts.
        text: The text after.
    """
    before, after = source.data, source.as_read(text.encode("utf-8", "surrogatepass"))
    asked = source.asked
    if not asked.is_searched or not asked.have_same_signs(after) or source.hidden or source.has_syntax_error:
        return None
    start, end = _statements(source.root, before, after)
    parts = before[start:end], after[start : end + len(after) - len(before)]
    if max(map(len, parts)) > _MOST_BYTES or _concerns_neighbours(source.root, start, end):
        return None
    if not all(_is_unasked(part, asked) for part in parts):
        return None
    return Shift(before, after, (), end)


def _statements(module: Node, before: bytes, after: bytes) -> tuple[int, int]:
    """Where the statements of a module begin and end, in whole lines, that an edit is in or between."""
    start = before.rfind(b"\n", 0, common_bytes(before, after)) + 1
    end = len(before) - common_bytes(before[start:][::-1], after[start:][::-1])
    if end > start or before[end - 1 : end] not in (b"", b"\n"):
        end = _line_end(before, end)
    for child in module.children:
        if child.start_byte < end and child.end_byte > start:
            start = min(start, before.rfind(b"\n", 0, child.start_byte) + 1)
            end = max(end, _line_end(before, child.end_byte))
    return start, end


def _line_end(data: bytes, offset: int) -> int:
    """Where the line of an offset ends; one that begins there has ended."""
    end = data.find(b"\n", max(offset - 1, 0))
    return end + 1 if end >= 0 else len(data)


def _is_unasked(part: bytes, asked: Asked) -> bool:
    """Whether statements of a module are plain ones that no question leads to."""
    source = SourceFile(part.decode("utf-8", "surrogatepass"))
    if source.has_syntax_error or part.rstrip(b"\r\n").endswith(b"\\"):
        return False
    is_plain = all(child.type in _PLAIN and not child.start_point.column for child in source.root.children)
    return is_plain and not asked.is_sought(part, source.words) and not _binds_any(source, asked.names)


def _binds_any(source: SourceFile, names: set[str]) -> bool:
    """Whether statements bind one of some names in the module's own scope."""
    return any(
        binding.scope.id == source.root.id
        for name in names
        if name.encode() in source.words
        for binding in source.names.bindings(name)
    )


def _concerns_neighbours(module: Node, start: int, end: int) -> bool:
    """Whether a part of a module lies between two ``if``, of which one may go on with the other, or before an
    indented statement, which the head of a function there would take in."""
    statements = [child for child in module.children if child.type != "comment"]
    before = [child.type for child in statements if child.end_byte <= start][-1:]
    after = [child for child in statements if child.start_byte >= end][:1]
    is_indented = any(child.start_point.column for child in after)
    return is_indented or before == [child.type for child in after] == ["if_statement"]
