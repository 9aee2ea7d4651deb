"""What a file compares with a rival of a subject: ``'cuda' in name or 'xpu' in name`` makes both a device."""

from __future__ import annotations

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.syntax import same, text_of
from ..names.definition import FUNCTION
from ..names.files import ProgramFile
from ..subject import Subject
from ..templates import plain_text


def is_compared_with_rival(tested: Node, file: ProgramFile, subject: Subject) -> bool:
    """Whether the same expression is compared with a rival elsewhere in its function."""
    if not subject.rivals:
        return False
    known = file.ctx.once(("rivals", subject.name), lambda: _compared(file, subject))
    return bool(known) and (_function_of(tested, file), text_of(tested)) in known


def _compared(file: ProgramFile, subject: Subject) -> frozenset[tuple[int, str]]:
    """What is compared with a rival, with the function that does so."""
    found: set[tuple[int, str]] = set()
    for offset in (offset for word in subject.rivals for offset in file.source.find_all(word)):
        content = file.source.node_at(offset, offset + 1)
        string = parent_of(content) if content is not None and content.type == "string_content" else None
        comparison = parent_of(string)
        if string is None or comparison is None or comparison.type != "comparison_operator":
            continue
        others = [item for item in comparison.named_children if not same(item, string)]
        if len(others) == 1 and subject.rival(plain_text(string) or ""):
            found.add((_function_of(comparison, file), text_of(others[0])))
    return frozenset(found)


def _function_of(node: Node, file: ProgramFile) -> int:
    """Where the function around a node begins; -1 outside of any."""
    function = file.source.enclosing(node, FUNCTION)
    return function.start_byte if function is not None else -1
