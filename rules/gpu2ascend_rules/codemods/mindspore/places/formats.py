"""Tensors in formatted text: ``f"{loss:.4f}"`` formats a number, which a tensor of MindSpore does not do."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.below import nodes_in
from ....model.finding import Edit
from ....text.syntax import arguments_of, field, last_name, text_of
from ..evidence import Evidence
from ..use import Use, changed

FORMAT = "torch.Tensor.__format__"


def uses_of_formats(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each tensor that text shows in a format of its own."""
    if not evidence.imports:
        return
    for node in nodes_in(evidence.source.root):
        for value in _formatted(node):
            if evidence.is_of_kind(value, "tensor"):
                yield _as_number(value)


def _formatted(node: Node) -> Iterator[Node]:
    """The values that have a format: in an f-string, or as arguments of ``format``."""
    if node.type == "interpolation" and any(one.type == "format_specifier" for one in node.named_children):
        value = field(node, "expression")
        if value is not None:
            yield value
    if node.type == "call" and last_name(node) == "format":
        function = field(node, "function")
        text = field(function, "object") if function is not None and function.type == "attribute" else None
        given = arguments_of(node)
        if text is not None and text.type in ("string", "concatenated_string") and not given.unpacked:
            for index in _with_format(text_of(text)):
                found = given.keyword(index) if not index.isdigit() else given.at(int(index))
                if found is not None:
                    yield found.value


def _with_format(text: str) -> Iterator[str]:
    """The names, or the numbers, of the fields of a text that have a format."""
    count = 0
    for part in text.replace("{{", "").replace("}}", "").split("{")[1:]:
        name, colon, _ = part.partition("}")[0].partition(":")
        if not name:
            name, count = str(count), count + 1
        if colon:
            yield name


def _as_number(value: Node) -> Use:
    simple = value.type in ("identifier", "attribute", "call", "subscript", "parenthesized_expression")
    edits = [Edit(value.end_byte, value.end_byte, ".item()" if simple else ").item()")]
    if not simple:
        edits.insert(0, Edit(value.start_byte, value.start_byte, "("))
    return changed(FORMAT, value, edits)
