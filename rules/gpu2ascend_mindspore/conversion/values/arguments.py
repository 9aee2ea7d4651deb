"""Expressions that say where a tensor is or what it is made of: devices and dtypes."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.kinds import Kind
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of

_DTYPES = frozenset(
    {
        "float32", "float", "float64", "double", "float16", "half", "bfloat16", "int8", "int16", "short",
        "int32", "int", "int64", "long", "uint8", "bool", "complex64", "complex128",
    }
)  # fmt: skip
_DEVICE_NAMES = frozenset({"device", "dev"})


def is_dtype(node: Node, source: SourceFile) -> bool:
    """Whether an expression is a dtype: one of torch's by its name, or that of a tensor."""
    resolution = source.names.qualified_name(node)
    if resolution is None:
        return node.type == "attribute" and text_of(node).endswith(".dtype")
    module, _, name = resolution.qualified_name.rpartition(".")
    return module == "torch" and name in _DTYPES


def names_device(node: Node) -> bool:
    """Whether a variable or an attribute is called as devices are."""
    named = text_of(node).rpartition(".")[2] in _DEVICE_NAMES
    return named and node.type in ("identifier", "attribute")


def is_device(node: Node, context: Context) -> bool:
    """Whether an expression is a device, or what torch takes for one."""
    kind = context.types.kind(node)
    if names_device(node) and (node.type == "attribute" or kind is Kind.UNKNOWN):
        return True
    return kind in (Kind.DEVICE, Kind.TEXT, Kind.INTEGER)
