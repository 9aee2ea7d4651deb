"""Texts put together from parts: what a value becomes inside a larger text.

A *template* is a text with ``{}`` for each part that is not known. ``f'cuda:{i}'``, ``'cuda:%d' % i``
and ``'cuda:' + str(i)`` all give a template that names a device.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from ..limits.below import nodes_through
from ..limits.walks import FORWARD_LIMITS
from ..text.syntax import field, operator_of, text_of, without_parentheses

_PERCENT = re.compile(r"%(?:\((\w+)\))?[-+ #0]*\d*(?:\.\d+)?[sdirf]")
_STRINGS = frozenset({"string", "concatenated_string"})
_DISPLAYS = frozenset({"type_parameter", "type", "tuple", "list"})
_NO_ANNOTATIONS = frozenset({"string", "call"})
_FIELD = re.compile(r"\{[^{}]*\}")
UNKNOWN_PART = "{}"


def template_of(expression: Node, depth: int = 0) -> str:
    """The template of an expression; ``{}`` when it is no literal text, or too deep to be one."""
    node = without_parentheses(expression)
    if depth > FORWARD_LIMITS.sums:
        return UNKNOWN_PART
    if node.type == "string":
        return string_template(node)
    if node.type == "concatenated_string":
        return "".join(template_of(part) for part in node.named_children if part.type == "string")
    return _sum_template(node, depth) if node.type == "binary_operator" else UNKNOWN_PART


def _sum_template(node: Node, depth: int) -> str:
    """The template of ``a + b + c``, however long the sum is."""
    parts: list[str] = []
    while node.type == "binary_operator" and operator_of(node) == "+":
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None:
            break
        parts.append(template_of(right, depth + 1))
        node = left
    parts.append(template_of(node, depth + 1) if node.type != "binary_operator" else UNKNOWN_PART)
    return "".join(reversed(parts))


def _unknown(interpolation: Node) -> str:
    return UNKNOWN_PART


def string_template(string: Node, text_for: Callable[[Node], str] = _unknown) -> str:
    """A string literal's template, with what ``text_for`` says in the place of each interpolation."""
    pieces: list[str] = []
    for child in string.children:
        if child.type == "string_content":
            pieces.append(text_of(child))
        elif child.type == "interpolation":
            pieces.append(text_for(child))
    return "".join(pieces)


def percent_filled(template: str, position: int, text: str) -> str:
    """A ``%`` template whose field at ``position`` is replaced by ``text``."""
    return _with_field(template, _PERCENT, position, text)


def format_filled(template: str, argument: str, text: str) -> str:
    """A ``str.format`` template with ``text`` for the field of an argument, given by name or number."""
    for match in _FIELD.finditer(template):
        if match[0].strip("{}").partition(":")[0] == argument:
            return template[: match.start()] + text + template[match.end() :]
    return _with_field(template, _FIELD, int(argument), text) if argument.isdigit() else UNKNOWN_PART


def _with_field(template: str, pattern: re.Pattern[str], position: int, text: str) -> str:
    for index, match in enumerate(pattern.finditer(template)):
        if index == position:
            return template[: match.start()] + text + template[match.end() :]
    return UNKNOWN_PART


def plain_text(expression: Node | None) -> str | None:
    """The text of a string literal without fields; ``None`` for anything else."""
    if expression is None:
        return None
    node = without_parentheses(expression)
    if node.type not in _STRINGS:
        return None
    text = template_of(node)
    return None if UNKNOWN_PART in text else text


def texts_in(display: Node) -> list[str | None]:
    """The texts that stand in a list, or in ``Literal[...]``; ``None`` for one that is put together."""
    parts = nodes_through(display, lambda part: part.type in _DISPLAYS)
    return [plain_text(part) for part in parts if part.type in _STRINGS]


def literal_texts(annotation: Node) -> list[str | None]:
    """The texts that the ``Literal[...]`` of an annotation admit, inside ``Optional`` and unions too."""
    if _is_literal(annotation):
        return texts_in(annotation)
    if annotation.type in _NO_ANNOTATIONS:
        return []
    parts = nodes_through(annotation, lambda part: part.type not in _NO_ANNOTATIONS and not _is_literal(part))
    return [text for part in parts if _is_literal(part) for text in texts_in(part)]


def _is_literal(annotation: Node) -> bool:
    """Whether it is ``Literal[...]``, by whatever name its module has."""
    if annotation.type not in ("generic_type", "subscript"):
        return False
    return text_of(annotation.named_children[0]).rpartition(".")[2] == "Literal"
