"""Torch's classes of tensors of one type: ``torch.FloatTensor``, that of CUDA, and names for one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Node

from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of, field, last_name, text_of, without_parentheses

_CLASS = re.compile(r"torch\.(?:cuda\.)?(\w*Tensor)")
_DEPTH = 3
DTYPES: Mapping[str, str] = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "ShortTensor": "int16",
    "IntTensor": "int32",
    "LongTensor": "int64",
    "BoolTensor": "bool_",
}
"""The type of the elements, as MindSpore calls it."""


def legacy_type(source: SourceFile, node: Node, depth: int = _DEPTH) -> str:
    """The class that an expression is, without its device: ``FloatTensor``; empty for anything else."""
    value = without_parentheses(node)
    if value.type == "conditional_expression" and depth:
        chosen = {legacy_type(source, value.named_children[index], depth - 1) for index in (0, 2)}
        return chosen.pop() if len(chosen) == 1 else ""
    found = source.names.qualified_name(value)
    named = _CLASS.fullmatch(found.qualified_name) if found is not None else None
    if named is not None:
        return "FloatTensor" if named[1] == "Tensor" else named[1] if named[1] in DTYPES else ""
    if value.type != "identifier" or not depth:
        return ""
    values = [one.value for one in source.names.bindings_in_scope(text_of(value), value)]
    kinds = {legacy_type(source, one, depth - 1) if one is not None else "" for one in values}
    return kinds.pop() if len(kinds) == 1 else ""


def cast_to(source: SourceFile, call: Node) -> str:
    """The class to which a call of ``type`` casts a tensor; empty for any other call."""
    given = arguments_of(call)
    if last_name(call) != "type" or len(given.items) != 1 or field(call, "function") is None:
        return ""
    return legacy_type(source, given.items[0].value)


def makes_legacy(source: SourceFile, call: Node) -> bool:
    """Whether a call gives a tensor of such a class: it makes one, or casts to it."""
    function = field(call, "function")
    return function is not None and bool(legacy_type(source, function) or cast_to(source, call))
