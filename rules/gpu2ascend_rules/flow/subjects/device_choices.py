"""Choices between devices: by what torch.cuda says, and by tests that name the NPU too."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.parents import parent_of, parent_type
from ...model.project.decisions import Outcome
from ...text.climbing import Enclosing
from ...text.syntax import STATEMENT_SUFFIXES, encloses, field, first_of, parts_of, same, text_of
from ..names.declared_values import values_of_members
from ..templates import plain_text
from ..verdicts import Role
from ..words import is_device_text
from .accelerators import accelerator_role
from .backends import backend_role
from .devices import device_flow, role_of_keys

if TYPE_CHECKING:
    from ...engine.context import Context

_QUESTIONS = ("is_available", "device_count")
_KEEPERS = frozenset({"assignment", "return_statement", "keyword_argument", "pair", "default_parameter"})


class Choice(enum.Enum):
    """What becomes of the devices among which a test chooses."""

    EDITED = "edited"
    """They become devices of the NPU, or the test chooses among none."""
    UNDECIDED = "undecided"
    """The file does not show what one of them is: it and the test change together or not at all."""
    FOREIGN = "foreign"
    """They are another framework's, for which the answer for CUDA is the right one."""


def is_chosen_by_cuda(string: Node, ctx: Context) -> bool:
    """Whether a text is an arm of a conditional expression whose test asks torch.cuda for a device.

    The test is renamed whatever the arms are, so the arm that names the CUDA device must change with it.
    """
    return any(
        not encloses(test, string) and _asks_torch_cuda(test, ctx) for test in _tests_around(string, ctx)
    )


def choice_by(test: Node, ctx: Context) -> Choice:
    """What becomes of the devices among which an expression chooses, as a test or as a part of one."""
    found = {_fate(string, ctx) for string in _chosen_strings(test, ctx)}
    if Choice.UNDECIDED in found:
        return Choice.UNDECIDED
    return Choice.FOREIGN if found == {Choice.FOREIGN} else Choice.EDITED


def is_undecided_arm(string: Node, ctx: Context) -> bool:
    """Whether a text that names a device is chosen by a test, and the file does not show what it is for."""
    return is_chosen_by_device(string, ctx) and _fate(string, ctx) is Choice.UNDECIDED


def is_chosen_by_device(string: Node, ctx: Context) -> bool:
    """Whether a text is chosen by a test that would change on the NPU, in an expression or in a branch that
    does nothing else."""
    tests = (*_tests_around(string, ctx), *_if_tests_around(string, ctx))
    return any(not encloses(test, string) and _asks_for_device(test, ctx) for test in tests)


def is_value_of_device_enum(string: Node, ctx: Context) -> bool:
    """Whether a text is a value of an enum of devices: of its member, or what it is called with.

    The member changes where something that the file writes for it does: a default of that type, a call.
    """
    call = ctx.source.enclosing(string, "call", "class_definition", "function_definition")
    if call is not None and call.type == "call":
        function = field(call, "function")
        given = field(call, "arguments")
        is_given = any(same(item, string) for item in first_of(given))
        return is_given and function is not None and _enum_called(function, ctx) is not None
    if call is None or parent_type(string) != "assignment":
        return False
    name = field(call, "name")
    if name is None or not _is_enum_of_devices(call):
        return False
    return any(_is_written_for(use, ctx) for use in ctx.source.names.references(text_of(name)))


def _enum_called(function: Node, ctx: Context) -> Node | None:
    """The file's own enum of devices that a name means."""
    if function.type != "identifier":
        return None
    for binding in ctx.source.names.bindings_in_scope(text_of(function), function):
        if binding.statement.type == "class_definition" and _is_enum_of_devices(binding.statement):
            return binding.statement
    return None


def _is_written_for(use: Node, ctx: Context) -> bool:
    """Whether a device's text is in a call of a class, or is consumed as a default of that type."""
    call = parent_of(use)
    if call is not None and call.type == "call":
        arguments = field(call, "arguments")
        return any(_is_device_word(item) for item in first_of(arguments))
    holder = ctx.source.enclosing(use, "typed_default_parameter", "assignment")
    value = (field(holder, "value") or field(holder, "right")) if holder is not None else None
    if value is None or not _is_device_word(value):
        return False
    return device_flow(ctx).role_of_string(value).role is Role.CONSUMED


def _is_device_word(value: Node | None) -> bool:
    return value is not None and value.type == "string" and is_device_text(plain_text(value) or "")


def _is_enum_of_devices(owner: Node) -> bool:
    """Whether a class is an enum whose members are devices, and nothing else."""
    bases = field(owner, "superclasses") if owner.type == "class_definition" else None
    is_enum = bases is not None and "Enum" in text_of(bases)
    members = values_of_members(owner) if is_enum else ()
    values = [plain_text(value) if value.type == "string" else None for value in members]
    return bool(values) and role_of_keys(values) is Role.KEY


def _asks_for_device(test: Node, ctx: Context) -> bool:
    """Whether a test would change on the NPU: it asks torch.cuda or a tensor, or names a CUDA device."""
    if _asks_torch_cuda(test, ctx) or ctx.source.identifiers_in("is_cuda", test):
        return True
    flow = device_flow(ctx)
    return any(flow.role_of_string(string).role is Role.TEST for string in _words_in(test))


def _words_in(test: Node) -> Iterator[Node]:
    if test.type == "comparison_operator":
        yield from (item for item in test.named_children if item.type == "string" and _is_word(item))
    elif test.type in ("boolean_operator", "not_operator", "parenthesized_expression"):
        for item in test.named_children:
            yield from _words_in(item)


def _fate(string: Node, ctx: Context) -> Choice:
    text = plain_text(string) or ""
    decision = ctx.decision(string)
    if decision is not None:  # what stays is chosen by the answer for CUDA, as before
        return Choice.EDITED if decision.outcome is Outcome.MOVES else Choice.FOREIGN
    if text in ("nccl", "NCCL"):
        return Choice.FOREIGN if backend_role(string, ctx).role is Role.FOREIGN else Choice.EDITED
    if text in ("gpu", "cuda"):
        role = accelerator_role(string, ctx).role
        if role is Role.CONSUMED:
            return Choice.FOREIGN  # Lightning has none for the NPU, so that "cpu" is what can run
        if text == "gpu":
            return Choice.FOREIGN if role is Role.NAMED else Choice.EDITED
    return _fate_of_device(string, ctx)


def _fate_of_device(string: Node, ctx: Context) -> Choice:
    verdict = device_flow(ctx).role_of_string(string)
    if verdict.role is Role.FOREIGN:
        return Choice.FOREIGN
    if verdict.role is Role.UNKNOWN:
        by_cuda = not verdict.library and is_chosen_by_cuda(string, ctx)
        return Choice.EDITED if by_cuda else Choice.UNDECIDED
    return Choice.UNDECIDED if verdict.role is Role.SHOWN and _is_kept(string) else Choice.EDITED


def _is_kept(string: Node) -> bool:
    """Whether a text goes to a place from which other code may take it: no message, no label."""
    node = parent_of(string)
    while node is not None and node.type in ("conditional_expression", "parenthesized_expression"):
        node = parent_of(node)
    return node is not None and node.type in _KEEPERS


def _chosen_strings(test: Node, ctx: Context) -> Iterator[Node]:
    for choice in _conditionals_around(test, ctx):
        if encloses(parts_of(choice)[1], test):
            yield from _device_strings(choice)
            return
    statement = ctx.source.enclosing(test, "if_statement")
    condition = field(statement, "condition")
    if statement is None or condition is None or not encloses(condition, test):
        return
    yield from _strings_of_branch(statement)


def _if_tests_around(string: Node, ctx: Context) -> Iterator[Node]:
    """The test of the ``if`` whose branch does nothing but give or return a text."""
    statement = ctx.source.enclosing(string, "if_statement")
    if statement is not None and any(same(found, string) for found in _strings_of_branch(statement)):
        condition = field(statement, "condition")
        if condition is not None:
            yield condition


def _strings_of_branch(statement: Node) -> Iterator[Node]:
    """The device that the branch of an ``if`` assigns or returns, where it does nothing else."""
    block = field(statement, "consequence")
    inside = parts_of(block) if block is not None else []
    if len(inside) != 1 or not inside[0].named_children:
        return
    done = inside[0] if inside[0].type == "return_statement" else inside[0].named_children[0]
    value = field(done, "right") if done.type == "assignment" else None
    if done.type == "return_statement":
        value = done.named_children[0]
    if value is not None and value.type == "string" and _is_word(value):
        yield value


def _conditionals_around(node: Node, ctx: Context) -> Iterator[Node]:
    """The conditional expressions of the same statement that a node is in, innermost first."""
    ways = ctx.source.once(Choice, lambda: Enclosing("conditional_expression", suffixes=STATEMENT_SUFFIXES))
    parent = ways.of(node)
    while parent is not None and parent.type == "conditional_expression":
        if len(parts_of(parent)) == 3:
            yield parent
        parent = ways.of(parent)


def _tests_around(node: Node, ctx: Context) -> Iterator[Node]:
    for conditional in _conditionals_around(node, ctx):
        yield parts_of(conditional)[1]


def _asks_torch_cuda(test: Node, ctx: Context) -> bool:
    for question in _QUESTIONS:
        for identifier in ctx.source.identifiers(question):
            node = parent_of(identifier)
            if node is None or not encloses(test, identifier):
                continue
            name = ctx.source.names.name_of(node if node.type == "attribute" else identifier)
            if name == f"torch.cuda.{question}":
                return True
    return False


def _device_strings(conditional: Node) -> Iterator[Node]:
    """The texts among a conditional expression's arms that name a CUDA device, or its back end."""
    parts = parts_of(conditional)
    for arm in (parts[0], parts[2]):
        for item in parts_of(arm) if arm.type in ("tuple", "list") else [arm]:
            if item.type == "string" and _is_word(item):
                yield item


def _is_word(string: Node) -> bool:
    text = plain_text(string)
    return text is not None and (is_device_text(text) or text in ("nccl", "NCCL", "gpu"))
