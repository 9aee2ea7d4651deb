"""Which argument of a call belongs to which parameter of an API."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.text.syntax import Argument, arguments_of, text_of, without_parentheses

from .signature import Parameter, Signature


class Unbound(enum.Enum):
    """Why the arguments of a call are not known."""

    UNPACKED = "unpacked"
    """``*args`` or ``**kwargs`` may give anything."""
    UNKNOWN = "unknown"
    """An argument belongs to no parameter."""
    MISSING = "missing"
    """A parameter without default is not given."""
    KIND = "kind"
    """An argument is not proven to be what the entry is for."""


IsOfKind = Callable[[Node, str], bool]
"""Whether an expression is certainly of a kind."""


class Bound(NamedTuple):
    """The arguments of a call by parameter."""

    given: Mapping[str, tuple[Node, ...]]
    """The expressions; several for a parameter that collects positions."""

    def one(self, name: str) -> Node | None:
        """The expression of a parameter that takes one."""
        nodes = self.given.get(name, ())
        return nodes[0] if len(nodes) == 1 else None


def bind(
    signature: Signature, call: Node | None, receiver: Node | None, is_of_kind: IsOfKind
) -> Bound | Unbound:
    """The arguments of a call, or of an attribute that is read where ``call`` is None.

    ``receiver`` is what a method is called on; it is the argument of the first parameter.
    """
    given: dict[str, tuple[Node, ...]] = {}
    if receiver is not None:
        given[signature.parameters[0].name] = (receiver,)
    unbound = _bind_arguments(call, signature, given) if call is not None else None
    return unbound or _checked(signature, given, is_of_kind)


def _bind_arguments(call: Node, signature: Signature, given: dict[str, tuple[Node, ...]]) -> Unbound | None:
    """Add the arguments of a call to those that are given already: the receiver, or none."""
    shift, arguments = len(given), arguments_of(call)
    positions = _collected(call, signature, shift) if arguments.unpacked else ()
    if arguments.unpacked and not positions:
        return Unbound.UNPACKED
    if positions:
        given[next(one.name for one in signature.parameters if one.collects)] = positions
    for argument in (one for one in arguments.items if not positions or one.keyword is not None):
        parameter = _parameter_of(argument, signature, shift)
        if parameter is None or (parameter.name in given and not parameter.collects):
            return Unbound.UNKNOWN
        given[parameter.name] = (*given.get(parameter.name, ()), argument.value)
    return None


def _collected(call: Node, signature: Signature, shift: int) -> tuple[Node, ...]:
    """The positions of a call, unpacked ones too, where one parameter takes all: ``torch.zeros(*shape)``."""
    takers = [one for one in signature.parameters if one.collects]
    arguments = call.child_by_field_name("arguments")
    if len(takers) != 1 or arguments is None or any(one.by_position for one in signature.parameters[shift:]):
        return ()
    nodes = [one for one in arguments.named_children if one.type not in ("keyword_argument", "comment")]
    return () if any(one.type == "dictionary_splat" for one in nodes) else tuple(nodes)


def _checked(
    signature: Signature, given: dict[str, tuple[Node, ...]], is_of_kind: IsOfKind
) -> Bound | Unbound:
    for parameter in signature.parameters:
        nodes = given.get(parameter.name, ())
        if not nodes and parameter.default is None and not parameter.collects:
            return Unbound.MISSING
        if parameter.kind and not all(is_of_kind(node, parameter.kind) for node in nodes):
            return Unbound.KIND
    return Bound(given)


_NUMPY = {"axis": "dim", "keepdims": "keepdim"}
"""NumPy's names for parameters, which torch takes as well."""


def _parameter_of(argument: Argument, signature: Signature, shift: int) -> Parameter | None:
    if argument.keyword is not None:
        found = signature.named(argument.keyword) or signature.named(_NUMPY.get(argument.keyword, ""))
        return found if found is not None and not found.collects else None
    return signature.at(argument.position + shift) if argument.position is not None else None


def is_literal_kind(node: Node, kind: str) -> bool:
    """Whether the text of an expression shows that it is of a kind (``KINDS`` says which there are)."""
    node = without_parentheses(node)
    return kind in KINDS and KINDS[kind](node)


def _is_number(node: Node, *types: str) -> bool:
    if node.type == "unary_operator" and text_of(node).startswith("-"):
        operand = node.child_by_field_name("argument")
        return operand is not None and _is_number(without_parentheses(operand), *types)
    return node.type in types


def _is_float(node: Node) -> bool:
    written = node.type == "call" and text_of(node).startswith(("float(", "math.inf", "np.inf"))
    return written or text_of(node.child_by_field_name("operator")) == "/" or _is_number(node, "float")


_RESIZING = frozenset({"area", "bilinear", "linear", "nearest", "trilinear"})
"""Ways of resizing that may be asked for by a name; by another text they give other values there."""
KINDS: Mapping[str, Callable[[Node], bool]] = {
    "int": lambda node: _is_number(node, "integer"),
    "floating": _is_float,
    "number": lambda node: _is_number(node, "integer", "float"),
    "bool": lambda node: node.type in ("true", "false"),
    "str": lambda node: node.type == "string",
    "unquoted": lambda node: node.type != "string",
    "item": lambda node: node.type not in ("tuple", "list"),
    "axes": lambda node: node.type not in ("true", "false"),
    "sequence": lambda node: node.type in ("tuple", "list"),
    "nothing": lambda node: node.type in ("tuple", "list") and not node.named_children,
    "one": lambda node: text_of(node) in ("1", "1.0"),
    "linear": lambda node: text_of(node)[1:-1] in ("linear", "bilinear", "trilinear"),
    "nearest": lambda node: text_of(node)[1:-1] == "nearest",
    "resizing": lambda node: node.type != "string" or text_of(node)[1:-1] in _RESIZING,
    "frobenius": lambda node: text_of(node)[1:-1] == "fro",
    "plain": lambda node: text_of(node)[1:-1] in ("nearest", "area"),
}
"""What the text of an argument may show, by the names that tables use."""
