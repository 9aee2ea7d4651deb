"""Calls that make a CPU tensor, because they get no device and the program sets no default device."""

from __future__ import annotations

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef
from ...facts.releases.device_free import creation_on_cpu
from ...text.syntax import ancestors, text_of

_SETTERS = ("set_default_device", "set_default_tensor_type")


def is_made_on_cpu(ref: NameRef, ctx: Context) -> bool:
    """Whether a call makes a tensor on the CPU, whichever device the program computes on."""
    takes_device = creation_on_cpu(ref.name)
    if takes_device is None or ref.call is None:
        return False
    if takes_device == "no":
        return True
    given = ref.arguments
    if given.unpacked or given.keyword("device") is not None:
        return False
    return not _has_default_device(ref.node, ctx)


def _has_default_device(node: Node, ctx: Context) -> bool:
    """Whether tensors without a device may come to another than the CPU at a place."""
    if any(name.startswith("cuda.") or name == "device" for name in ctx.project.default_types):
        return True
    if any(True for setter in _SETTERS for _ in ctx.source.identifiers(setter)):
        return True
    return any(_sets_device(item) for item in ancestors(node) if item.type == "with_statement")


def _sets_device(statement: Node) -> bool:
    """Whether ``with torch.device(device):`` may be what a statement begins with."""
    clauses = (child for child in statement.named_children if child.type == "with_clause")
    return any("device" in text_of(clause) for clause in clauses)
