"""The imports that switch transfer_to_npu on, at the place of a script where they must be."""

from __future__ import annotations

import sys

from tree_sitter import Node

from ...model.finding import Edit
from ...text.source_file import SourceFile
from ...text.syntax import LOOPS, field, text_of

PAIR = ("import torch_npu", "from torch_npu.contrib import transfer_to_npu")
_HOLDERS = frozenset(
    {"if_statement", "with_statement", "try_statement", "block", "else_clause", "elif_clause"}
)
_ACTS = frozenset({"cuda", "to", "train", "eval", "backward", "load_state_dict"})
"""Methods that a program calls for what they do, and a module for others does not at its top level."""
_IMPORTS = frozenset({"import_statement", "import_from_statement"})


def has_pair(source: SourceFile) -> bool:
    """Whether a file imports transfer_to_npu already."""
    return any("contrib.transfer_to_npu" in item.target for item in source.names.imports_of("torch_npu"))


def pair_edit(source: SourceFile) -> Edit:
    """The edit that imports torch_npu and transfer_to_npu before anything of torch is bound by name.

    They follow ``import torch`` where that comes first, else before the first import that is not of the
    standard library: a module of the project, or a library, may bind names of torch.
    """
    newline = source.newline
    text = "".join(f"{line}{newline}" for line in PAIR)
    end = 0
    for index, child in enumerate(source.root.named_children):
        if child.type in _IMPORTS and not _is_standard(child):
            if text_of(child).split() in (["import", "torch"],):
                return _behind(source, child, text, newline)
            start = source.lines.line_start(source.lines.line_of(child.start_byte))
            return Edit(start, start, text)
        is_docstring = index == 0 and child.type == "expression_statement"
        if is_docstring or child.type == "future_import_statement" or child.type in _IMPORTS:
            end = child.end_byte
        elif child.type != "comment" and not end:
            break
    if not end:
        place = _behind_comments(source)
        return Edit(place, place, text)
    line = source.lines.line_of(end)
    if line + 1 < source.lines.line_count:
        place = source.lines.line_start(line + 1)
        return Edit(place, place, text)
    return Edit(end, end, newline + text.rstrip("\r\n"))


def _behind(source: SourceFile, statement: Node, text: str, newline: str) -> Edit:
    line = source.lines.line_of(statement.end_byte)
    if line + 1 < source.lines.line_count:
        place = source.lines.line_start(line + 1)
        return Edit(place, place, text)
    return Edit(statement.end_byte, statement.end_byte, newline + text.rstrip("\r\n"))


def _behind_comments(source: SourceFile) -> int:
    """The place behind the comments that a file begins with: its interpreter and encoding stay first."""
    place = 0
    for child in source.root.named_children:
        if child.type != "comment":
            break
        line = source.lines.line_of(child.end_byte)
        place = source.lines.line_start(line + 1) if line + 1 < source.lines.line_count else child.end_byte
    return place


def _is_standard(statement: Node) -> bool:
    """Whether all that a statement imports is of the standard library."""
    words = text_of(statement).replace(",", " ").split()
    if not words or len(words) < 2:
        return False
    roots = [words[1]] if words[0] == "from" else [word for word in words[1:] if word != "as"]
    first = roots[0].partition(".")[0]
    return first in sys.stdlib_module_names


def acts_at_once(source: SourceFile) -> bool:
    """Whether a file does at its top level what a program does: it is a script without a test of its name."""
    return any(_loops(child) or _acts(child) for child in source.root.named_children)


def loops_at_once(source: SourceFile) -> bool:
    """Whether a file loops at its top level, which no module for others does."""
    return any(_loops(child) for child in source.root.named_children)


def _loops(statement: Node) -> bool:
    if statement.type in _HOLDERS:
        return any(_loops(child) for child in statement.named_children)
    return statement.type in LOOPS


def _acts(statement: Node) -> bool:
    """Whether a statement moves or switches a model."""
    if statement.type in _HOLDERS:
        return any(_acts(child) for child in statement.named_children)
    call = statement.named_children[0] if statement.type == "expression_statement" else statement
    function = field(call, "function") if call.type == "call" else None
    return function is not None and text_of(field(function, "attribute") or call) in _ACTS
