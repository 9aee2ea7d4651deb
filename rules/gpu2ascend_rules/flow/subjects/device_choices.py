"""Choices between devices: by what torch.cuda says, and by tests that name the NPU too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...text.syntax import STATEMENT_SUFFIXES, enclosing, last_name, text_of
from ..climb.verdicts import Role
from ..templates import plain_text
from ..words import is_device_text
from .devices import device_flow

if TYPE_CHECKING:
    from ...engine.context import Context
    from ...engine.events import NameRef

_QUESTIONS = ("is_available", "device_count")


def is_chosen_by_cuda(string: Node, ctx: Context) -> bool:
    """Whether a text is an arm of a conditional expression whose test asks torch.cuda for a device.

    The test is renamed whatever the arms are, so the arm that names the CUDA device must change with it.
    """
    return any(not _is_in(test, string) and _asks_torch_cuda(test, ctx) for test in _tests_around(string))


def chooses_foreign_device(ref: NameRef, ctx: Context) -> bool:
    """Whether ``torch.cuda.is_available()`` decides over another framework's CUDA device and nothing else.

    There the answer for CUDA is the right one: an NPU does not help that framework.
    """
    if ref.name.rpartition(".")[2] not in _QUESTIONS:
        return False
    around = _conditionals_around(ref.node)
    choice = next((item for item in around if _is_in(_parts(item)[1], ref.node)), None)
    if choice is None:
        return False
    flow = device_flow(ctx)
    roles = [flow.role_of_string(string).role for string in _device_strings(choice)]
    return bool(roles) and all(role is Role.FOREIGN for role in roles)


def _conditionals_around(node: Node) -> Iterator[Node]:
    parent = node.parent
    while parent is not None and not parent.type.endswith(STATEMENT_SUFFIXES):
        if parent.type == "conditional_expression" and len(_parts(parent)) == 3:
            yield parent
        parent = parent.parent


def _tests_around(node: Node) -> Iterator[Node]:
    for conditional in _conditionals_around(node):
        yield _parts(conditional)[1]


def _parts(conditional: Node) -> list[Node]:
    return [part for part in conditional.named_children if part.type != "comment"]


def _is_in(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _asks_torch_cuda(test: Node, ctx: Context) -> bool:
    for question in _QUESTIONS:
        for identifier in ctx.source.identifiers(question):
            node = identifier.parent
            if node is None or not _is_in(test, identifier):
                continue
            resolution = ctx.source.names.qualified_name(node if node.type == "attribute" else identifier)
            if resolution is not None and resolution.qualified_name == f"torch.cuda.{question}":
                return True
    return False


def _device_strings(conditional: Node) -> Iterator[Node]:
    """The texts among a conditional expression's arms that name a CUDA device."""
    parts = _parts(conditional)
    for arm in (parts[0], parts[2]):
        if arm.type == "string" and is_device_text(text_of(arm).strip("'\"")):
            yield arm


def knows_npu_beside(test: Node, ctx: Context) -> bool:
    """Whether the function around a test tests for the NPU too: it handles both already."""
    function = enclosing(test, "function_definition")
    if function is None:
        return False
    source = ctx.source
    for offset in source.find_all(b"npu"):
        if not function.start_byte <= offset < function.end_byte:
            continue
        node = source.node_at(offset, offset + 3)
        string = node.parent if node is not None and node.type == "string_content" else None
        if string is not None and _is_npu_test(string):
            return True
    return False


def _is_npu_test(string: Node) -> bool:
    """Whether a text is exactly the NPU's name, and something is compared with it or searched for it."""
    if plain_text(string) not in ("npu", "npu:"):
        return False
    holder = string.parent
    if holder is not None and holder.type in ("tuple", "list", "set"):
        holder = holder.parent
    if holder is None:
        return False
    call = holder.parent if holder.type == "argument_list" else None
    return holder.type == "comparison_operator" or (call is not None and last_name(call) == "startswith")
