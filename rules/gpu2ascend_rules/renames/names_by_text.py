"""What a file takes from a module of torch that it reaches by a text: ``getattr(torch, 'cuda').nvtx``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..engine.events import StringRef
from ..engine.registry import has_exclusive_rule
from ..engine.rule import Event
from ..flow import Role, device_flow
from ..limits.parents import parent_of
from ..text.dynamic.dynamic_imports import TORCH, imported_by_call, is_called_import
from ..text.syntax import (
    Passed,
    arguments_of,
    attributes_behind,
    chain_from_root,
    enclosing,
    field,
    last_name,
    outside_parentheses,
    passed_to,
    target_of,
    text_of,
)
from ..text.uses import uses_of_variable
from .cuda_names import CUDA, length_of_api, move_of

_GETS = frozenset({"get", "__getitem__", "__getattribute__"})
"""Methods that take an attribute of a module, or an item of its namespace, by a text."""


class Reached(NamedTuple):
    """An API that a file reaches by a text, and that does not work on the NPU as it is."""

    node: Node
    """The expression that means it."""
    api: str
    target: str
    """What replaces it on the NPU; nothing where there is no such name."""


def unmovable(ref: StringRef, ctx: Context) -> Iterator[Reached]:
    """What a file takes from the module that a text names, where that is wrong once it is the NPU's."""
    passed = passed_to(ref.node)
    found = _module(ref, passed, ctx)
    if found is None:
        return
    module, expression = found
    stays = expression.type == "subscript" or last_name(expression) in _GETS  # no rule changes that text
    for node, attributes in _takings(expression, ctx):
        reached = judged(node, ".".join((module, *attributes)), ctx, stays=stays)
        if reached is not None:
            yield reached


def judged(node: Node, name: str, ctx: Context, *, stays: bool = False) -> Reached | None:
    """An API that is no name of the NPU's under the same name, or that ``stays`` below ``torch.cuda``."""
    if not name.startswith(f"{CUDA}."):
        return None
    api = _known_part(name, ctx)
    move = move_of(api, ctx)
    target = move.target if move is not None and not has_exclusive_rule(api, Event.NAME) else ""
    is_same = target == "torch_npu.npu" + api.removeprefix(CUDA)
    return Reached(node, api, target) if stays or not is_same else None


def is_attribute_of_torch(ref: StringRef, ctx: Context) -> bool:
    """Whether a text is that of ``getattr(torch, 'cuda')``."""
    return device_flow(ctx).role_of(ref).role is Role.ATTRIBUTE


def _module(ref: StringRef, passed: Passed | None, ctx: Context) -> tuple[str, Node] | None:
    """The module that a text names, and the expression that gives it."""
    if ref.text == "cuda":
        taken = _attribute_of_torch(ref, ctx)
        if taken is not None:
            return CUDA, taken
        is_asked = (
            passed is not None and last_name(passed.call) == "getattr" and is_attribute_of_torch(ref, ctx)
        )
        return (CUDA, passed.call) if passed is not None and is_asked else None
    if passed is not None:
        module = imported_by_call(passed.call)
        is_below = module is not None and module != TORCH and passed.argument.position == 0
        return (module, passed.call) if module is not None and is_below else None
    item = enclosing(ref.node, "subscript")
    return (ref.text, item) if item is not None and _is_of_modules(item) else None


def _attribute_of_torch(ref: StringRef, ctx: Context) -> Node | None:
    """``torch.__dict__['cuda']`` and ``vars(torch)['cuda']``, or what ``get`` gives of them."""
    holder = parent_of(ref.node)
    if holder is not None and holder.type == "subscript":
        owner, expression = field(holder, "value"), holder
    else:
        passed = passed_to(ref.node)
        function = field(passed.call, "function") if passed is not None else None
        is_got = passed is not None and last_name(passed.call) in _GETS
        if passed is None or function is None or not is_got or passed.argument.position != 0:
            return None
        owner, expression = field(function, "object"), passed.call
        if owner is not None and last_name(passed.call) == "__getattribute__":
            return expression if _names_torch(owner, ctx) else None
    return expression if owner is not None and _is_namespace_of_torch(owner, ctx) else None


def _is_namespace_of_torch(expression: Node, ctx: Context) -> bool:
    if expression.type == "call" and last_name(expression) == "vars":
        given = arguments_of(expression).at(0)
        return given is not None and _names_torch(given.value, ctx)
    name, owner = field(expression, "attribute"), field(expression, "object")
    is_dictionary = text_of(name) == "__dict__"
    return is_dictionary and owner is not None and _names_torch(owner, ctx)


def _names_torch(expression: Node, ctx: Context) -> bool:
    return ctx.source.names.name_of(expression) == TORCH


def _is_of_modules(item: Node) -> bool:
    """``sys.modules[...]``."""
    owner = field(item, "value")
    return owner is not None and text_of(owner).rpartition(".")[2] == "modules"


def gives_torch(expression: Node, ctx: Context) -> bool:
    """Whether an expression is the module torch, reached by a text; not a variable that is known as it."""
    if expression.type == "identifier" and not _names_torch(expression, ctx):
        bindings = ctx.source.names.bindings_in_scope(text_of(expression), expression)
        value = bindings[0].value if len(bindings) == 1 else None
        return value is not None and value.type != "identifier" and gives_torch(value, ctx)
    if expression.type == "subscript":
        key = field(expression, "subscript")
        return _is_of_modules(expression) and key is not None and text_of(key)[1:-1] == TORCH
    return is_called_import(expression)


def _takings(expression: Node, ctx: Context) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """Each place where attributes are taken of an expression, or of the variable that is bound to it."""
    outer = outside_parentheses(expression)
    target = target_of(outer)
    if target is None:
        yield attributes_behind(outer)
    elif target.type == "identifier":
        for use in uses_of_variable(target, ctx.source):
            chain = chain_from_root(use)
            yield chain.node, chain.attributes


def _known_part(name: str, ctx: Context) -> str:
    """The beginning of a name that is an API: of ``Stream.priority.real`` it is ``Stream``."""
    parts = name.split(".")
    return ".".join(parts[: length_of_api(parts, 3, ctx) or 3])
