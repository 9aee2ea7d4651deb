"""Whose method is called: evidence for and against a receiver being a torch object."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..engine.events import MemberRef
from ..flow.libraries import is_foreign_library
from ..inference.kinds import Kind
from ..inference.own_methods import OwnMethods
from ..model.project_view import may_define_method
from ..text.syntax import (
    Within,
    ancestors,
    chain_of,
    field,
    is_field,
    parts_of,
    passed_to,
    same,
    start_of,
    text_of,
    without_parentheses,
)
from .made_by import is_made_by_foreign

TORCH_KINDS = frozenset({Kind.TENSOR, Kind.MODULE, Kind.STREAM, Kind.OPTIMIZER})


def is_foreign(ref: MemberRef, ctx: Context) -> bool:
    """Whether a receiver comes from another framework: by its own name, or by what it was made of."""
    if ref.receiver_name is not None and is_foreign_library(ref.receiver_name):
        return True
    return is_made_by_foreign(ref.receiver, ctx)


def methods_defined_here(name: str, ctx: Context) -> list[Node]:
    """The function definitions of that name inside the file's classes."""
    return ctx.once(("methods", name), lambda: _methods_defined_here(name, ctx))


def _methods_defined_here(name: str, ctx: Context) -> list[Node]:
    return [
        function
        for identifier in ctx.source.identifiers(name)
        if (function := identifier.parent) is not None
        and function.type == "function_definition"
        and is_field(identifier, "name")
        and owner_of(function) is not None
    ]


def owner_of(method: Node) -> Node | None:
    """The class whose body holds a function definition directly."""
    owner = next((item for item in ancestors(method) if item.type.endswith("_definition")), None)
    return owner if owner is not None and owner.type == "class_definition" else None


def could_be_own(ref: MemberRef, ctx: Context) -> bool:
    """Whether an unknown receiver could be an object of the project's own class with such a method.

    A class that is a torch module has the NPU's method too, so it raises no doubt. Neither does a call
    inside such a method: it passes the request on to what the object holds.
    """
    plain = ctx.once(("methods of plain classes", ref.name), lambda: Within(_of_plain_classes(ref.name, ctx)))
    if ref.node.start_byte in plain:
        return False
    return bool(plain) or may_define_method(ctx.project, ref.name)


def _of_plain_classes(name: str, ctx: Context) -> Iterator[Node]:
    for method in methods_defined_here(name, ctx):
        owner = owner_of(method)
        if owner is not None and not ctx.types.is_module_class(owner):
            yield method


def is_defined_by_own_class(ref: MemberRef, ctx: Context) -> bool:
    """Whether the receiver is an object of one of the file's classes that define the method themselves."""
    methods = methods_defined_here(ref.name, ctx)
    if not methods:
        return False
    if text_of(ref.receiver) != "self":
        own = ctx.once("own methods", lambda: OwnMethods(ctx.source, ctx.instances.classes))
        return own.is_called(ref.receiver, ref.name)
    owner = ctx.source.enclosing(ref.node, "class_definition")
    if owner is None:
        return False
    first = bisect_left(methods, owner.start_byte, key=start_of)
    return first < len(methods) and methods[first].start_byte < owner.end_byte


def is_checked_tensor(node: Node, receiver: Node) -> bool:
    """Whether the code has just made sure that a receiver is a tensor: ``isinstance(x, Tensor) and x.a``."""
    return tensor_check(node, receiver) is not None


def tensor_check(node: Node, receiver: Node) -> Node | None:
    """The statement or expression in which a node is reached only where a receiver is a tensor."""
    inner = node
    for parent in ancestors(node):
        if _makes_sure(parent, inner, receiver):
            return parent
        inner = parent
    return None


def _makes_sure(parent: Node, inner: Node, receiver: Node) -> bool:
    """Whether ``inner`` is reached only where the check beside it, in the same parent, holds."""
    if parent.type == "boolean_operator":
        left = field(parent, "left")
        return _is_and(parent) and is_field(inner, "right") and left is not None and _holds(left, receiver)
    if parent.type in ("if_statement", "elif_clause") and is_field(inner, "consequence"):
        condition = field(parent, "condition")
        return condition is not None and _holds(condition, receiver)
    if parent.type == "conditional_expression":
        value, condition, *_ = parts_of(parent)
        return same(value, inner) and _holds(condition, receiver)
    return False


def _holds(condition: Node, receiver: Node) -> bool:
    """Whether a condition is true only where the receiver is a tensor."""
    condition = without_parentheses(condition)
    if condition.type == "boolean_operator":
        sides = (field(condition, "left"), field(condition, "right"))
        return _is_and(condition) and any(side is not None and _holds(side, receiver) for side in sides)
    return condition.type == "call" and _checks(text_of(condition), text_of(receiver))


def _checks(call: str, receiver: str) -> bool:
    if not call.startswith("isinstance(") and "is_tensor(" not in call:
        return False  # most calls; to compile an expression takes longer than all else
    name = re.escape(receiver)
    check = rf"isinstance\(\s*{name}\s*,\s*(\w+\.)*Tensor\s*\)|(\w+\.)*is_tensor\(\s*{name}\s*\)"
    return re.fullmatch(check, call) is not None


def _is_and(operator: Node) -> bool:
    sign = field(operator, "operator")
    return sign is not None and sign.type == "and"


def is_in_map_location(node: Node, ctx: Context) -> bool:
    """Whether a call stands in a function given to ``torch.load``, where it is called on a storage."""
    function = ctx.source.enclosing(node, "lambda")
    passed = passed_to(function) if function is not None else None
    if passed is None:
        return False
    if passed.argument.keyword is not None:
        return passed.argument.keyword == "map_location"
    callee = field(passed.call, "function")
    return callee is not None and text_of(callee).endswith("load")


def is_assigned(ref: MemberRef) -> bool:
    """Whether the attribute is what an assignment or a deletion writes to."""
    parent = ref.node.parent
    if parent is None:
        return False
    if parent.type in ("assignment", "augmented_assignment"):
        return is_field(ref.node, "left")
    return parent.type in ("delete_statement", "pattern_list", "tuple_pattern")


def is_argument_namespace(receiver: Node) -> bool:
    """Whether a receiver is called as parsed command-line arguments and settings usually are."""
    chain = chain_of(receiver)
    words = (text_of(chain.root), *chain.attributes) if chain is not None else ()
    last = words[-1].lower() if words else ""
    return last in {"args", "opt", "opts", "options", "config", "cfg", "conf", "params", "flags", "hparams"}
