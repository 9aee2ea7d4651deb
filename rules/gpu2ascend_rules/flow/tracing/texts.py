"""Texts that an expression makes of others: ``'CUDA'.lower()``, ``'cu' + 'da'``, ``b'cuda'.decode()``.

What a part of an expression gives is computed where it is plain, and ``{}`` where it is not; nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.checkpoints import checkpoint
from ...limits.walks import FORWARD_LIMITS
from ...text.syntax import (
    Arguments,
    arguments_of,
    field,
    last_name,
    operator_of,
    same,
    text_of,
    without_parentheses,
)
from .. import templates
from ..templates import UNKNOWN_PART

if TYPE_CHECKING:
    from ...text.source_file import SourceFile

_LONGEST = 400
"""Characters of what may be a name or a command."""
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


class Texts:
    """What the expressions of one file give."""

    def __init__(self, source: SourceFile, part: Node | None = None, text: str = "") -> None:
        """Take a part of the expressions whose text is known, if any."""
        self._source = source
        self._part = part
        self._text = text

    def of(self, expression: Node, depth: int = 0) -> str:
        """The template of an expression; ``{}`` for one that is not plain, or too long to be a name."""
        node = without_parentheses(expression)
        if self._part is not None and same(node, self._part):
            return self._text
        step = _STEPS.get(node.type)
        if step is None or depth > FORWARD_LIMITS.sums or node.named_child_count > FORWARD_LIMITS.items:
            return UNKNOWN_PART
        checkpoint()
        text = step(self, node, depth + 1)
        return text if len(text) <= _LONGEST else UNKNOWN_PART

    def _string(self, node: Node, depth: int) -> str:
        def filled(interpolation: Node) -> str:
            parts = interpolation.named_children
            return self.of(parts[0], depth) if len(parts) == 1 else UNKNOWN_PART

        return templates.string_template(node, filled)

    def _joined_strings(self, node: Node, depth: int) -> str:
        return "".join(self._string(part, depth) for part in node.named_children if part.type == "string")

    def _operation(self, node: Node, depth: int) -> str:
        left, right, operator = field(node, "left"), field(node, "right"), operator_of(node)
        if left is not None and right is not None and operator == "*":
            return self._repeated(left, right, depth)
        if left is None or right is None or operator not in ("+", "%"):
            return UNKNOWN_PART
        if operator == "+":
            if "integer" in (left.type, right.type):
                return UNKNOWN_PART
            parts = self.of(left, depth), self.of(right, depth)
            return UNKNOWN_PART if parts == (UNKNOWN_PART, UNKNOWN_PART) else "".join(parts)
        text = self.of(left, depth)
        for item in right.named_children if right.type == "tuple" else [right]:
            text = templates.percent_filled(text, 0, self.of(item, depth))
        return text

    def _repeated(self, left: Node, right: Node, depth: int) -> str:
        """``'cuda' * use_gpu``: what a test multiplies is the text, or nothing."""
        factors = [node for node in (left, right) if node.type != "integer"]
        return self.of(left, depth) if len(factors) == 2 else UNKNOWN_PART

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
        if text == UNKNOWN_PART and name != "format":
            return UNKNOWN_PART
        if name in _SAME:
            return text
        if name in _WITHOUT_ARGUMENTS and not arguments.items:
            return _WITHOUT_ARGUMENTS[name](text)
        given = [argument.value for argument in arguments.positional]
        if name == "join" and len(given) == 1 and given[0].type in ("list", "tuple"):
            return self._joined(text, given[0], depth)
        if name == "format":
            return self._formatted(text, arguments, depth)
        return self._made(name, text, [self.of(item, depth) for item in given])

    @staticmethod
    def _made(name: str, text: str, given: Sequence[str]) -> str:
        is_known = len(given) == _ARITY.get(name, 1) and not any(UNKNOWN_PART in item for item in given)
        return _OF_TEXTS[name](text, *given) if name in _OF_TEXTS and is_known else UNKNOWN_PART

    def _joined(self, text: str, given: Node, depth: int) -> str:
        items = given.named_children if given.named_child_count <= FORWARD_LIMITS.items else ()
        return text.join(self.of(item, depth) for item in items) if items else UNKNOWN_PART

    def _formatted(self, text: str, arguments: Arguments, depth: int) -> str:
        named = [(item.keyword, item.value) for item in arguments.items if item.keyword is not None]
        placed = [(str(at), item.value) for at, item in enumerate(arguments.positional)]
        for key, item in (*named, *reversed(placed)):
            text = templates.format_filled(text, key, self.of(item, depth))
        return text

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
        value = self._source.names.only_value(node)
        return self.of(value, depth) if value is not None else UNKNOWN_PART


_STEPS: dict[str, Callable[[Texts, Node, int], str]] = {
    "integer": lambda texts, node, depth: text_of(node),
    "string": Texts._string,
    "concatenated_string": Texts._joined_strings,
    "binary_operator": Texts._operation,
    "call": Texts._call,
    "subscript": Texts._slice,
    "identifier": Texts._variable,
}
"""By the kind of an expression. An object that holds its own methods would keep the tree for a while."""
