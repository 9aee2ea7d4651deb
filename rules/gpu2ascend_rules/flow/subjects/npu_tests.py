"""Tests that name the NPU: code around them handles CUDA and the NPU already."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...limits.parents import parent_of
from ...text.syntax import last_name
from ..templates import plain_text


def tests_npu_too(test: Node, ctx: Context) -> bool:
    """Whether the function around a test tests for the NPU too: it handles both already."""
    function = ctx.source.enclosing(test, "function_definition")
    if function is None:
        return False
    tests = ctx.once("tests for the NPU", lambda: tuple(_npu_tests(ctx)))
    first = bisect_left(tests, function.start_byte)
    return first < len(tests) and tests[first] < function.end_byte


def _npu_tests(ctx: Context) -> Iterator[int]:
    """Where the file tests for the NPU by name, in text order."""
    for offset in ctx.source.find_all(b"npu"):
        node = ctx.source.node_at(offset, offset + 3)
        string = parent_of(node) if node is not None and node.type == "string_content" else None
        if string is not None and _is_npu_test(string):
            yield offset


def _is_npu_test(string: Node) -> bool:
    """Whether a text is exactly the NPU's name, and something is compared with it or searched for it."""
    if plain_text(string) not in ("npu", "npu:"):
        return False
    holder = parent_of(string)
    if holder is not None and holder.type in ("tuple", "list", "set"):
        holder = parent_of(holder)
    if holder is None:
        return False
    call = parent_of(holder) if holder.type == "argument_list" else None
    return holder.type == "comparison_operator" or (call is not None and last_name(call) == "startswith")
