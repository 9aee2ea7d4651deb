"""Which class of PyTorch an annotation names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...text.scopes import BindingKind
from ...text.syntax import text_of, without_parentheses
from .torch_classes import is_class

if TYPE_CHECKING:
    from ...text.source_file import SourceFile

_DOTTED = re.compile(r"[A-Za-z_][\w.]*\Z")
_QUOTES_AND_LAYOUT = re.compile(r"[\s'\"]")
_OPTIONAL = re.compile(r"(?:\w+\.)?Optional\[(.*)\]")
_OTHERS = frozenset(
    {
        "int",
        "float",
        "str",
        "bool",
        "bytes",
        "dict",
        "list",
        "tuple",
        "set",
        "Dict",
        "List",
        "Tuple",
        "Sequence",
    }
)


def annotated_class(source: SourceFile, annotation: Node) -> str | None:
    """The class that an annotation names; empty for a class that is not PyTorch's, None if it may be any.

    ``Optional[Tensor]`` and ``Tensor | None`` name the class; a union of two names none.
    """
    node = without_parentheses(annotation)
    if node.type == "type" and node.named_children:
        node = without_parentheses(node.named_children[0])
    if node.type in ("identifier", "attribute"):
        return _class(source.names.name_of(node), text_of(node))
    if node.type == "string":
        return _quoted(source, text_of(node).strip("'\""))
    if node.type in ("generic_type", "subscript"):
        return _generic(source, node)
    if node.type in ("binary_operator", "union_type"):
        parts = [part for part in node.named_children if text_of(part) != "None"]
        found = {annotated_class(source, part) for part in parts}
        return found.pop() if len(found) == 1 else None
    return None


def name_in(annotation: Node) -> str:
    """The plain name that an annotation is, in quotes or not, optional or not; empty for any other."""
    text = _QUOTES_AND_LAYOUT.sub("", text_of(annotation))
    inner = _OPTIONAL.fullmatch(text)
    text = inner[1] if inner is not None else text.removesuffix("|None").removeprefix("None|")
    return text if text.isidentifier() else ""


def _class(qualified_name: str, written: str) -> str | None:
    if qualified_name.startswith("torch."):
        return qualified_name if is_class(qualified_name) else None
    return "" if written in _OTHERS else None


def _quoted(source: SourceFile, text: str) -> str | None:
    """An annotation in quotes, by the import that its first name means."""
    if not _DOTTED.match(text):
        return None
    root, dot, below = text.partition(".")
    targets = {item.target for item in source.names.bindings(root) if item.kind is BindingKind.IMPORT}
    return _class(f"{targets.pop()}{dot}{below}" if len(targets) == 1 else "", text)


def _generic(source: SourceFile, node: Node) -> str | None:
    head, *rest = node.named_children
    name = text_of(head).rpartition(".")[2]
    if name == "Optional" and rest:
        inner = rest[0].named_children[0] if rest[0].type == "type_parameter" else rest[0]
        return annotated_class(source, inner)
    return "" if name in _OTHERS else None
