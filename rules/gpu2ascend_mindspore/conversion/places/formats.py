"""Tensors in formatted text: ``f"{loss:.4f}"`` formats a number, which a tensor of MindSpore does not do.

What is certainly a tensor becomes its number by ``item``; what may be one goes by a helper, which leaves
anything else as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    Arguments,
    arguments_of,
    field,
    last_name,
    text_of,
    without_parentheses,
)

from ...helpers import MINDSPORE
from ..evidence import Evidence
from ..use import Use, changed
from .rates import is_rate

FORMAT = "torch.Tensor.__format__"
_PART = "number"
"""The part of the helper file that has both functions."""
_OF_FLOATS = re.compile(r"[eEfFgG%]$|\{")
"""How the format of a floating-point number ends, or of what is put into it."""
_TEXTS = ("string", "concatenated_string")
_MAY_BE = frozenset(
    {"identifier", "attribute", "call", "subscript", "binary_operator", "parenthesized_expression"}
)
_NO_TENSORS = frozenset(
    {
        "item", "time", "perf_counter", "tolist", "get_last_lr", "count", "index", "format", "join", "sum",
        "round", "max", "min",
    }
)  # fmt: skip
"""Methods and functions that give a number, a list of numbers or a text."""

_NUMBERS = frozenset({"tolist", "get_last_lr"})
"""Those that give a list of numbers."""


class _Shown(NamedTuple):
    """A value in a text, and whether its format is one of floating-point numbers, or not known."""

    value: Node
    is_open: bool


def uses_of_formats(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each tensor that text shows in a format of its own."""
    if not evidence.imports:
        return
    for node in nodes_in(evidence.source.root):
        for value, is_open in _formatted(node):
            if evidence.is_of_kind(value, "tensor"):
                yield _as_number(value)
            elif is_open and _may_be_tensor(evidence, value):
                yield _by_helper("number", value)
        for mapping in _mappings(node):
            yield _by_helper("numbers", mapping)


def _formatted(node: Node) -> Iterator[_Shown]:
    """The values that have a format: in an f-string, or as arguments of ``format``."""
    if node.type == "interpolation":
        given = next((one for one in node.named_children if one.type == "format_specifier"), None)
        yield from _shown(field(node, "expression"), text_of(given)) if given is not None else ()
    if node.type != "call" or last_name(node) != "format":
        return
    function = field(node, "function")
    text = field(function, "object") if function is not None and function.type == "attribute" else None
    if text is not None:
        yield from _of_template(without_parentheses(text), arguments_of(node))
    elif function is not None and function.type == "identifier":
        value, given_format = arguments_of(node).at(0), arguments_of(node).at(1)
        if value is not None and given_format is not None:
            yield from _shown(value.value, text_of(given_format.value).strip("'\""))


def _of_template(text: Node, given: Arguments) -> Iterator[_Shown]:
    """The arguments of ``text.format``; of a text that is not known, any may be shown as a number."""
    if text.type not in _TEXTS:
        yield from (_Shown(one.value, True) for one in given.items if not text_of(one.value).startswith("*"))
    elif not given.unpacked:
        for name, format_text in _with_format(text_of(text)):
            found = given.keyword(name) if not name.isdigit() else given.at(int(name))
            yield from _shown(found.value, format_text) if found is not None else ()


def _shown(value: Node | None, format_text: str) -> Iterator[_Shown]:
    if value is not None:
        yield _Shown(value, _OF_FLOATS.search(format_text) is not None)


def _mappings(node: Node) -> Iterator[Node]:
    """Dictionaries of which a text shows the values: ``text.format(**self.__dict__)``."""
    if node.type != "call" or last_name(node) != "format":
        return
    arguments = field(node, "arguments")
    for one in arguments.named_children if arguments is not None else ():
        if one.type == "dictionary_splat" and one.named_children:
            yield one.named_children[0]


def _with_format(text: str) -> Iterator[tuple[str, str]]:
    """The names, or the numbers, of the fields of a text that have a format, and the format."""
    count = 0
    for part in text.replace("{{", "").replace("}}", "").split("{")[1:]:
        name, colon, format_text = part.partition("}")[0].partition(":")
        if not name:
            name, count = str(count), count + 1
        if colon:
            yield name, format_text


def _may_be_tensor(evidence: Evidence, value: Node, pending: frozenset[int] = frozenset()) -> bool:
    """Whether nothing shows that a value is a number, or a text.

    Of ``total = total + x`` in a loop, what is being looked into (``pending``) shows nothing of its own.
    """
    value = without_parentheses(value)
    if value.type not in _MAY_BE or evidence.instance(value) is not None:
        return False
    if value.type == "binary_operator":
        return any(_may_be_tensor(evidence, one, pending) for one in value.named_children)
    if _is_known_number(evidence, value):
        return False
    return value.type != "identifier" or _may_hold_tensor(evidence, value, pending)


def _may_hold_tensor(evidence: Evidence, name: Node, pending: frozenset[int]) -> bool:
    values = [one.value for one in evidence.reaching(name)]
    known = [one for one in values if one is not None]
    if not known or len(known) < len(values):
        return True
    return any(
        _may_be_tensor(evidence, one, pending | {one.id})
        for one in known
        if one.id != name.id and one.id not in pending
    )


def _is_known_number(evidence: Evidence, value: Node) -> bool:
    """Whether a value is a number by what gives it, or none of torch's."""
    if value.type == "call" and last_name(value) in _NO_TENSORS:
        return True
    held = field(value, "value") if value.type == "subscript" else None
    if held is not None and ((held.type == "call" and last_name(held) in _NUMBERS) or is_rate(value)):
        return True
    return evidence.others.made(value) or _is_counted(evidence, value)


def _is_counted(evidence: Evidence, value: Node) -> bool:
    """Whether a variable is what ``range`` or ``enumerate`` counts."""
    if value.type != "identifier":
        return False
    for binding in evidence.reaching(value):
        over = field(binding.statement, "right") if binding.statement.type == "for_statement" else None
        if over is None or over.type != "call" or last_name(over) not in ("range", "enumerate", "trange"):
            return False
        target = field(binding.statement, "left")
        is_first = target is not None and (
            target.type == "identifier" or binding.node.id == target.named_children[0].id
        )
        if not is_first:
            return False
    return bool(evidence.reaching(value))


def _as_number(value: Node) -> Use:
    simple = value.type in ("identifier", "attribute", "call", "subscript", "parenthesized_expression")
    edits = [Edit(value.end_byte, value.end_byte, ".item()" if simple else ").item()")]
    if not simple:
        edits.insert(0, Edit(value.start_byte, value.start_byte, "("))
    return changed(FORMAT, value, edits)


def _by_helper(name: str, value: Node) -> Use:
    before = Edit(value.start_byte, value.start_byte, f"{MINDSPORE.module}.{name}(")
    use = changed(FORMAT, value, [before, Edit(value.end_byte, value.end_byte, ")")], {MINDSPORE.module})
    return use._replace(parts=frozenset({_PART}))
