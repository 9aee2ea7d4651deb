"""The expression of an entry for one call, as pieces: new text, and arguments that stay where they are."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.syntax import text_of

from .binding import Bound, is_literal_kind
from .entry import ALWAYS, COPIED, PACKED, TUPLED, Entry, value_function
from .signature import Signature
from .values import VALUES, Refused

_ATOMS = frozenset(
    {"identifier", "attribute", "call", "subscript", "parenthesized_expression", "list", "tuple", "set"}
) | {"dictionary", "string", "true", "false", "none"}


class Slot(NamedTuple):
    """An expression of the call that is kept as it is."""

    node: Node


Piece = str | Slot


def render(entry: Entry, bound: Bound) -> list[Piece]:
    """The pieces of an entry's expression for the arguments of a call.
    Raises Refused: an argument has no counterpart, or nobody knows its value."""
    assert entry.signature is not None
    reduction = legacy_reduction(entry.signature, bound)
    _refuse_unused(entry, entry.signature, bound, _LEGACY if reduction else ())
    renderer = _Renderer(entry.signature, bound, {_REDUCTION: repr(reduction)} if reduction else {})
    pieces = list(_joined(renderer.expression(entry.target)))
    return pieces


_REDUCTION, _LEGACY = "reduction", ("size_average", "reduce")
_TRUTHS = {"none": True, "true": True, "false": False}
"""What a literal means for an old argument of a loss, whose default is ``None``."""


def legacy_reduction(signature: Signature, bound: Bound) -> str:
    """The reduction that the old arguments of a loss ask for; empty where the call gives none of them.
    Raises Refused: nobody knows the value of one."""
    given = {name: node for name in _LEGACY if (node := bound.one(name)) is not None}
    if signature.named(_REDUCTION) is None or all(node.type == "none" for node in given.values()):
        return ""
    for name, node in given.items():
        if node.type not in _TRUTHS:
            raise Refused("argument", name)
    average, reduce = (_TRUTHS[given[name].type] if name in given else True for name in _LEGACY)
    return ("mean" if average else "sum") if reduce else "none"


def _refuse_unused(entry: Entry, signature: Signature, bound: Bound, read: Sequence[str]) -> None:
    used = entry.names | {*entry.dropped, *read}
    for name, nodes in bound.given.items():
        parameter = signature.named(name)
        if name in used or parameter is None:
            continue
        if any(_as_written(node) != parameter.default for node in nodes):
            raise Refused("argument", name)


def _as_written(node: Node) -> str:
    """The text of an argument as a table writes it: a plain string in single quotes."""
    text = text_of(node)
    return f"'{text[1:-1]}'" if node.type == "string" and text[:1] == text[-1:] == '"' else text


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
            continue
        yield text
        yield piece
        text = ""
    yield text


class _Renderer:
    def __init__(self, signature: Signature, bound: Bound, written: Mapping[str, str]) -> None:
        self._signature = signature
        self._bound = bound
        self._written = written
        """The texts of parameters whose values are known otherwise than by their own arguments."""

    def expression(self, node: ast.expr, *, atom: bool = False) -> Iterator[Piece]:
        """The pieces of an expression; ``atom`` where something is written directly behind it."""
        function = value_function(node)
        if function is not None:
            assert isinstance(node, ast.Call)
            yield from self._value(function, node.args[0])
        elif isinstance(node, ast.Name) and self._signature.named(node.id) is not None:
            yield from self._parameter(node.id, atom=atom)
        elif isinstance(node, ast.Attribute):
            yield from self.expression(node.value, atom=True)
            yield f".{node.attr}"
        elif isinstance(node, ast.Subscript):
            yield from self.expression(node.value, atom=True)
            yield "["
            yield from self.expression(node.slice)
            yield "]"
        elif isinstance(node, ast.Call):
            yield from self.expression(node.func, atom=True)
            yield "("
            yield from self._arguments(node)
            yield ")"
        elif isinstance(node, ast.BinOp):
            yield from self.expression(node.left, atom=True)
            yield f" {_OPERATORS[type(node.op)]} "
            yield from self.expression(node.right, atom=True)
        elif isinstance(node, ast.Tuple):
            yield from self._tuple(node)
        elif isinstance(node, ast.Starred) and isinstance(node.value, ast.Name):
            yield from self._listed(self._bound.given.get(node.value.id, ()))
        else:
            yield ast.unparse(node)

    def _tuple(self, node: ast.Tuple) -> Iterator[Piece]:
        yield "("
        for index, one in enumerate(node.elts):
            yield ", " if index else ""
            yield from self.expression(one)
        yield ",)" if len(node.elts) == 1 else ")"

    def _parameter(self, name: str, *, atom: bool) -> Iterator[Piece]:
        node = self._bound.one(name)
        if name in self._written:
            yield self._written[name]
        elif node is None:
            yield self._default(name)
        elif atom and node.type not in _ATOMS:
            yield from ("(", Slot(node), ")")
        elif node.type == "generator_expression":
            raise Refused("generator", name)
        else:
            yield Slot(node)

    def _default(self, name: str) -> str:
        parameter = self._signature.named(name)
        if parameter is None or parameter.default is None or self._bound.given.get(name):
            raise Refused("argument", name)
        return parameter.default

    def _value(self, function: str, argument: ast.expr) -> Iterator[Piece]:
        if function == ALWAYS:
            yield from self.expression(argument)
            return
        assert isinstance(argument, ast.Name)
        if function in (PACKED, TUPLED):
            yield from self._packed(argument.id, alone=function == PACKED)
            return
        node = self._bound.one(argument.id)
        if function == COPIED:
            yield self._copied(argument.id, node)
        elif node is None:
            yield VALUES[function](self._default(argument.id))
        else:
            old = text_of(node)
            before, found, behind = VALUES[function](old).partition(old)
            yield from (before, Slot(node), behind) if found else (before,)

    def _copied(self, name: str, node: Node | None) -> str:
        if node is None:
            return self._default(name)
        if any(one.type in ("call", "await", "named_expression") for one in nodes_in(node)):
            raise Refused("argument", name)  # evaluated twice
        return text_of(node)

    def _packed(self, name: str, *, alone: bool) -> Iterator[Piece]:
        nodes = self._bound.given.get(name, ())
        is_unpacked = any(one.type == "list_splat" for one in nodes)
        if len(nodes) == 1 and not is_unpacked and (alone or nodes[0].type in ("tuple", "list")):
            yield Slot(nodes[0])
            return
        if len(nodes) == 1 and not is_unpacked and not is_literal_kind(nodes[0], "int"):
            raise Refused("argument", name)
        yield "("
        yield from self._listed(nodes)
        yield ",)" if len(nodes) == 1 else ")"

    def _listed(self, nodes: Sequence[Node]) -> Iterator[Piece]:
        for index, node in enumerate(nodes):
            yield ", " if index else ""
            yield Slot(node)

    def _arguments(self, call: ast.Call) -> Iterator[Piece]:
        written = [list(self.expression(one)) for one in self._positions(call)]
        keywords: list[tuple[int, list[Piece]]] = []
        place = 0  # new text stands behind what the entry writes before it
        for keyword in call.keywords:
            if keyword.arg is None or self._is_left_out(keyword.value):
                continue
            pieces: list[Piece] = [f"{keyword.arg}=", *self.expression(keyword.value)]
            place = next((one.node.start_byte for one in pieces if isinstance(one, Slot)), place)
            keywords.append((place, pieces))
        keywords.sort(key=lambda one: one[0])
        for index, pieces in enumerate([*written, *(pieces for _, pieces in keywords)]):
            yield ", " if index else ""
            yield from pieces

    def _positions(self, call: ast.Call) -> list[ast.expr]:
        positions = list(call.args)
        while positions and self._is_left_out(positions[-1]):
            positions.pop()
        return positions

    def _is_left_out(self, value: ast.expr) -> bool:
        """Whether a value is a parameter, as it is or changed, that the call leaves out."""
        function = value_function(value)
        if function in (ALWAYS, COPIED):
            return False
        if function is not None:
            assert isinstance(value, ast.Call)
            value = value.args[0]
        if not isinstance(value, ast.Name) or value.id in self._written:
            return False
        parameter = self._signature.named(value.id)
        return parameter is not None and parameter.default is not None and value.id not in self._bound.given


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**",
}  # fmt: skip
