"""Texts that an expression makes of others: ``'CUDA'.lower()``, ``'cu' + 'da'``, ``b'cuda'.decode()``.

What a part of an expression gives is computed where it is plain, and is ``{}`` where it is not, as in
:mod:`.templates`; nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ..limits.checkpoints import checkpoint
from ..limits.parents import parent_of
from ..limits.walks import CLIMB_LIMITS
from ..text.scopes import BindingKind
from ..text.syntax import (
    Arguments,
    arguments_of,
    call_of,
    field,
    is_field,
    last_name,
    operator_of,
    text_of,
    without_parentheses,
)
from ..text.uses import uses_of_variable
from . import templates
from .templates import UNKNOWN_PART

if TYPE_CHECKING:
    from ..text.source_file import SourceFile

_LONGEST = 64
"""Characters of what may be a name."""
_SAME = frozenset({"decode", "encode", "expandtabs"})
_WITHOUT_ARGUMENTS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "casefold": str.casefold,
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
}
_OF_TEXTS: dict[str, Callable[..., str]] = {
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
    "replace": str.replace,
    "removeprefix": lambda text, prefix: text.removeprefix(prefix),
    "removesuffix": lambda text, suffix: text.removesuffix(suffix),
}
_ARITY = {"replace": 2}


class Composed(NamedTuple):
    """A text and the expression that gives it."""

    expression: Node
    text: str


def composed_from(part: Node, source: SourceFile) -> Iterator[Composed]:
    """The texts that a string literal goes into, each by every expression on its way outwards.

    A variable that is bound once is followed to where it is read.
    """
    texts = _Texts(source)
    pending = [(part, 0)]
    while pending:
        node, names = pending.pop()
        last = node
        for holder in _holders(node):
            text = texts.of(holder)
            if text.startswith(UNKNOWN_PART):
                break  # what something else is put before is no name any more
            yield Composed(holder, text)
            last = holder
        target = _only_target(last, source)
        if target is not None and names < CLIMB_LIMITS.names:
            uses = islice(uses_of_variable(target, source), CLIMB_LIMITS.uses)
            pending += [(use, names + 1) for use in uses]


def _holders(node: Node) -> Iterator[Node]:
    """The expressions around a text that may still give one, from the inside."""
    current: Node | None = node
    while current is not None:
        checkpoint()
        holder = _holder(current)
        if holder is not None:
            yield holder
        current = holder


def _holder(node: Node) -> Node | None:
    parent = parent_of(node)
    if parent is None:
        return None
    if parent.type in ("parenthesized_expression", "concatenated_string", "binary_operator"):
        return parent
    if parent.type == "interpolation":
        return parent_of(parent)
    if parent.type == "attribute":
        return call_of(parent)
    if parent.type == "subscript":
        return parent if is_field(node, "value") else None
    display = parent if parent.type in ("list", "tuple") else node
    arguments = parent_of(display)
    if display.type == "tuple" and operator_of(arguments) == "%":
        return arguments
    if arguments is None or arguments.type != "argument_list":
        return None
    call = parent_of(arguments) if arguments.named_child_count <= CLIMB_LIMITS.items else None
    return call if call is not None and last_name(call) in ("join", "format", "str") else None


def _only_target(value: Node, source: SourceFile) -> Node | None:
    """The variable that a value is assigned to, where it is given nothing else."""
    statement = parent_of(value)
    if statement is None or statement.type != "assignment" or not is_field(value, "right"):
        return None
    target = field(statement, "left")
    if target is None or target.type != "identifier":
        return None
    return target if len(source.names.bindings_in_scope(text_of(target), target)) == 1 else None


class _Texts:
    """What the expressions of one file give."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._known: dict[tuple[int, int], str] = {}

    def of(self, expression: Node, depth: int = 0) -> str:
        """The template of an expression; ``{}`` for one that is not plain, or too long to be a name."""
        node = without_parentheses(expression)
        step = _STEPS.get(node.type)
        if step is None or depth > CLIMB_LIMITS.sums or node.named_child_count > CLIMB_LIMITS.items:
            return UNKNOWN_PART
        key = (node.id, depth)
        if key not in self._known:
            checkpoint()
            text = step(self, node, depth + 1)
            self._known[key] = text if len(text) <= _LONGEST else UNKNOWN_PART
        return self._known[key]

    def _string(self, node: Node, depth: int) -> str:
        def filled(interpolation: Node) -> str:
            parts = interpolation.named_children
            return self.of(parts[0], depth) if len(parts) == 1 else UNKNOWN_PART

        return templates.string_template(node, filled)

    def _joined_strings(self, node: Node, depth: int) -> str:
        return "".join(self._string(part, depth) for part in node.named_children if part.type == "string")

    def _operation(self, node: Node, depth: int) -> str:
        left, right, operator = field(node, "left"), field(node, "right"), operator_of(node)
        if left is None or right is None or operator not in ("+", "%"):
            return UNKNOWN_PART
        if operator == "+":
            return self.of(left, depth) + self.of(right, depth)
        text = self.of(left, depth)
        for item in right.named_children if right.type == "tuple" else [right]:
            text = templates.percent_filled(text, 0, self.of(item, depth))
        return text

    def _call(self, node: Node, depth: int) -> str:
        function, arguments = field(node, "function"), arguments_of(node)
        if function is None or arguments.unpacked:
            return UNKNOWN_PART
        receiver = field(function, "object") if function.type == "attribute" else None
        if receiver is not None:
            return self._method(receiver, last_name(node), arguments, depth)
        is_text = text_of(function) == "str" and len(arguments.items) == 1
        return self.of(arguments.items[0].value, depth) if is_text else UNKNOWN_PART

    def _method(self, receiver: Node, name: str, arguments: Arguments, depth: int) -> str:
        text = self.of(receiver, depth)
        if text == UNKNOWN_PART:
            return UNKNOWN_PART
        if name in _SAME:
            return text
        if name in _WITHOUT_ARGUMENTS and not arguments.items:
            return _WITHOUT_ARGUMENTS[name](text)
        given = [argument.value for argument in arguments.positional]
        if name == "join" and len(given) == 1 and given[0].type in ("list", "tuple"):
            is_short = given[0].named_child_count <= CLIMB_LIMITS.items
            items = given[0].named_children if is_short else ()
            return text.join(self.of(item, depth) for item in items) if items else UNKNOWN_PART
        if name == "format":
            for position, item in reversed([*enumerate(given)]):
                text = templates.format_filled(text, str(position), self.of(item, depth))
            return text
        known = [self.of(item, depth) for item in given]
        is_known = len(known) == _ARITY.get(name, 1) and not any(UNKNOWN_PART in item for item in known)
        return _OF_TEXTS[name](text, *known) if name in _OF_TEXTS and is_known else UNKNOWN_PART

    def _slice(self, node: Node, depth: int) -> str:
        """``'cuda0'[:4]``."""
        value = field(node, "value")
        parts = [child for child in node.named_children if child.type == "slice"]
        text = self.of(value, depth) if value is not None else UNKNOWN_PART
        if len(parts) != 1 or UNKNOWN_PART in text:
            return UNKNOWN_PART
        bounds = text_of(parts[0]).replace(" ", "").split(":")
        if len(bounds) != 2 or not all(bound.lstrip("-").isdigit() or not bound for bound in bounds):
            return UNKNOWN_PART
        start, end = (int(bound) if bound else None for bound in bounds)
        return text[start:end]

    def _variable(self, node: Node, depth: int) -> str:
        bindings = self._source.names.bindings_in_scope(text_of(node), node)
        value = bindings[0].value if len(bindings) == 1 else None
        is_assigned = value is not None and bindings[0].kind is BindingKind.ASSIGNMENT
        return self.of(value, depth) if value is not None and is_assigned else UNKNOWN_PART


_STEPS: dict[str, Callable[[_Texts, Node, int], str]] = {
    "integer": lambda texts, node, depth: text_of(node),
    "string": _Texts._string,
    "concatenated_string": _Texts._joined_strings,
    "binary_operator": _Texts._operation,
    "call": _Texts._call,
    "subscript": _Texts._slice,
    "identifier": _Texts._variable,
}
"""By the kind of an expression. An object that holds its own methods would keep the tree for a while."""
