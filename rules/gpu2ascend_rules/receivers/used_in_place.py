"""Whether an object that is read from a file is used on the device where it was put, or moved first."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from ..limits.parents import parent_of
from ..limits.walks import FORWARD_LIMITS
from ..text.source_file import SourceFile
from ..text.syntax import enclosing, field, is_field, text_of
from ..text.uses import uses_of_variable

_CALLED = "()"
_ITEM = "[]"
_MOVES = frozenset({"to", "to_empty", "cuda", "npu", "cpu", "numpy", "tolist", "item"})
_OF_MODULES = frozenset(
    {
        "apply", "buffers", "children", "eval", "flatten_parameters", "forward", "generate", "modules",
        "named_buffers", "named_children", "named_modules", "named_parameters", "parameters",
        "register_forward_hook", "register_forward_pre_hook", "requires_grad_", "train", "zero_grad",
    }
)  # fmt: skip
"""Members that show a module."""
_OF_TENSORS = frozenset({"T", "data", "device", "dtype", "grad", "mH", "mT", "shape"})
_LITERALS = frozenset({"integer", "float", "string", "concatenated_string"})
_COUNTS = re.compile(r"epoch|step|iter|best|loss|acc|lr\b|seed|count|num|score|time", re.I)
"""What the keys of numbers in a checkpoint are called."""
_KEEPS = frozenset({"bfloat16", "double", "eval", "float", "get", "half", "module", "pop"})
"""Members that give the object itself, or one that was loaded with it."""


class _Use(enum.Enum):
    """What a use shows."""

    NOTHING = "nothing"
    IN_PLACE = "it works on the device where it is"
    MOVED = "it goes to another device first"


class _Chain(NamedTuple):
    """What is done with an expression, and the expression that this ends in."""

    steps: tuple[str, ...]
    node: Node
    key: str
    """The text of the last key by which an item was taken; empty if none was."""


def is_used_in_place(loaded: Node, source: SourceFile) -> bool:
    """Whether what an expression gives, or an item of it, is a module or an operand that nothing moves.

    Code of other files, and functions that it is passed to, are not looked at.
    """
    return _use_of(loaded, source, FORWARD_LIMITS.names, "") is _Use.IN_PLACE


def _use_of(expression: Node, source: SourceFile, depth: int, key: str) -> _Use:
    chain = _chain(expression, key)
    use = _shown_by(chain)
    keeps = all(step in _KEEPS or step in (_CALLED, _ITEM) for step in chain.steps)
    if use is _Use.MOVED or not keeps or depth <= 0:
        return use
    uses: list[_Use] = [use]
    for target in _targets(chain.node):
        later = islice(_later_uses(target, chain.node, source), FORWARD_LIMITS.uses)
        uses += [_use_of(item, source, depth - 1, chain.key) for item in later]
    return _joined(uses)


def _joined(uses: list[_Use]) -> _Use:
    strongest = (_Use.MOVED, _Use.IN_PLACE)
    return next((use for use in strongest if use in uses), _Use.NOTHING)


def _chain(expression: Node, key: str) -> _Chain:
    """The attributes, calls and items that are taken of an expression one after the other.

    Args:
        key: That of the item which the expression is already.
    """
    steps: list[str] = []
    node = expression
    while (parent := parent_of(node)) is not None:
        if parent.type == "attribute" and is_field(node, "object"):
            steps.append(text_of(field(parent, "attribute") or parent))
        elif parent.type == "call" and is_field(node, "function"):
            steps.append(_CALLED)
        elif parent.type == "subscript" and is_field(node, "value"):
            steps.append(_ITEM)
            key = text_of(field(parent, "subscript") or parent)
        elif parent.type != "parenthesized_expression":
            break
        node = parent
    return _Chain(tuple(steps), node, key)


def _shown_by(chain: _Chain) -> _Use:
    if not _MOVES.isdisjoint(chain.steps):
        return _Use.MOVED if _ITEM not in chain.steps else _Use.NOTHING
    steps = [step for step in chain.steps if step != _ITEM]
    first, second = (*steps, "", "")[:2]
    is_below = second not in ("", _CALLED) and first not in _OF_TENSORS and first not in _KEEPS
    parent = parent_of(chain.node)
    is_operand = not steps and parent is not None and parent.type == "binary_operator"
    is_operand = is_operand and not (chain.key and _is_number(chain))
    if first == _CALLED or first in _OF_MODULES or is_below or is_operand:
        return _Use.IN_PLACE
    return _Use.NOTHING


def _is_number(chain: _Chain) -> bool:
    """Whether an item that is an operand is more likely a number than a tensor: checkpoints hold both."""
    operation = parent_of(chain.node)
    operands = operation.named_children if operation is not None else []
    with_literal = any(item.type in _LITERALS for item in operands)
    return with_literal or _COUNTS.search(chain.key) is not None


def _targets(value: Node) -> Iterator[Node]:
    """The variables and attributes that are assigned a value and nothing else."""
    node, parent = value, parent_of(value)
    while parent is not None and parent.type == "assignment" and is_field(node, "right"):
        left = field(parent, "left")
        if left is not None and left.type in ("identifier", "attribute"):
            yield left
        node, parent = parent, parent_of(parent)


def _later_uses(target: Node, value: Node, source: SourceFile) -> Iterator[Node]:
    """The reads of a variable or attribute behind an assignment, and in functions that may run then."""
    function = _function_around(target)
    reads = (
        uses_of_variable(target, source) if target.type == "identifier" else _same_attribute(target, source)
    )
    for read in reads:
        if read.start_byte > value.end_byte or _function_around(read) != function:
            yield read


def _function_around(node: Node) -> int:
    function = enclosing(node, "function_definition")
    return function.id if function is not None else 0


def _same_attribute(target: Node, source: SourceFile) -> Iterator[Node]:
    """The reads of ``self.model`` in a class, or of another written attribute in a file."""
    name, written = field(target, "attribute"), text_of(target)
    holder = enclosing(target, "class_definition") if written.startswith(("self.", "cls.")) else source.root
    if name is None or holder is None:
        return
    for identifier in source.identifiers_in(text_of(name), holder):
        attribute = parent_of(identifier)
        is_read = attribute is not None and attribute.type == "attribute" and not is_field(attribute, "left")
        if attribute is not None and is_read and text_of(attribute) == written:
            yield attribute
