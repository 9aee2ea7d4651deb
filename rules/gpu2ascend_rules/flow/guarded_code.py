"""What a test of a device's name decides over: where that changes, the test must change too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ..text.syntax import ancestors, field, is_field, leaves_block, parts_of, same, siblings_after, text_of

_DEVICE_CODE = re.compile(
    r"""\btorch\.cuda\.|\.cuda\(|\btorch_npu\.|\.npu\(|\bnpu\.|\bcuda\.[a-z]\w*\("""
    r"""|["'](cuda|npu)(:[^"'\n]*)?["']"""
)
_COMMENT = re.compile(r"#.*")
_STATEMENTS = frozenset({"if_statement", "elif_clause", "while_statement"})


def guards_device_code(test: Node) -> bool:
    """Whether code that a test decides over names the device: CUDA's, or the NPU's after a migration."""
    return any(_DEVICE_CODE.search(_COMMENT.sub("", text_of(part))) for part in _guarded(test))


def _guarded(test: Node) -> Iterator[Node]:
    child = test
    for parent in ancestors(test):
        if parent.type == "case_clause":
            consequence = field(parent, "consequence")
            if consequence is not None:
                yield consequence
            return
        if parent.type == "conditional_expression":
            parts = parts_of(parent)
            if len(parts) == 3 and same(parts[1], child):
                yield from (parts[0], parts[2])
                return
        if parent.type in _STATEMENTS and is_field(child, "condition"):
            yield from _arms(parent)
            return
        if parent.type.endswith(("_statement", "block", "_definition")):
            return
        child = parent


def _arms(statement: Node) -> Iterator[Node]:
    consequence = field(statement, "consequence") or field(statement, "body")
    if consequence is not None:
        yield consequence
    yield from (child for child in statement.children if child.type == "else_clause")
    if leaves_block(consequence):
        yield from siblings_after(statement)
