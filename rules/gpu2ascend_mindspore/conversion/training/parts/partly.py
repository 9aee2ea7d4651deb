"""Layers that a module, or a training step, uses in some of its calls only.

PyTorch leaves a parameter alone that a step does not reach: it has no gradient. ``ms.value_and_grad`` gives
zeros for it, with which an optimizer moves it by weight decay, momentum and its moments, without an error,
unless the layer has an optimizer of its own.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.limits.below import nodes_below, nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import (
    LEAVES,
    LOOPS,
    STATEMENT_SUFFIXES,
    Within,
    ancestors,
    call_of,
    enclosing,
    field,
    parts_of,
    text_of,
)

from ...evidence import Evidence
from ..trained import is_optimizer, last_name_of

WITHOUT_WEIGHTS = re.compile(
    r"(?:Dropout\w*|\w*ReLU\w*|\w*Pool\w*|Flatten|Unflatten|Identity|Softmax\w*|LogSoftmax|Sigmoid|Tanh|GELU|ELU|SELU"
    r"|SiLU|Mish|Hard\w+|Softplus|\w*Loss|Upsample\w*|\w*Pad\dd?|PixelShuffle|Fold|Unfold|CosineSimilarity)$"
)
"""Layers of torch that have no parameters."""
_FIXED = re.compile(
    r"\bis\s+(?:not\s+)?None\b|\b(?:isinstance|hasattr|len)\s*\(|\.(?:shape|size|ndim|dim|training|dtype|is_cuda)\b"
)
"""What asks for the form of an argument, which stays as it is in a training, and not for its value."""
_DRAWN = re.compile(r"\brandom\b|\brand\w*\s*\(|\bbernoulli\b|\bsample\b")


_JOINING = frozenset({"dictionary", "binary_operator", "list_splat"})
"""What joins parameters with others, or makes a group of them."""
_CONDITIONAL = "conditional_expression"
_DEEPEST = 50
"""How many conditional expressions may stand in each other; a layer in a deeper one counts as used."""
_IN_ORDER = frozenset({"block", "else_clause", "finally_clause", "try_statement", "with_statement"})
"""Statements, and parts of them, whose parts run one after the other."""


class _Path(NamedTuple):
    """One way through code: whether it uses a layer, and whether it goes on behind the last statement."""

    uses: bool
    goes_on: bool = True


_World = frozenset[_Path]
"""The ways that the calls of one training may take: what is chosen once for all of it is chosen."""
_Worlds = frozenset[_World]


def _always(*, uses: bool) -> _Worlds:
    """What goes one way whatever is chosen."""
    return frozenset({frozenset({_Path(uses)})})


def _then(first: _Worlds, second: _Worlds) -> _Worlds:
    """The worlds of code that runs behind other code, as far as that goes on."""
    return frozenset(
        frozenset(one for one in before if not one.goes_on)
        | {_Path(one.uses or two.uses, two.goes_on) for one in before if one.goes_on for two in after}
        for before in first
        for after in second
    )


def layers_left_out(evidence: Evidence, owner: Node, forward: Node) -> Iterator[tuple[str, Node]]:
    """The layers of a module that a call may leave out, with a place that uses each."""
    body = field(forward, "body")
    if body is not None:
        yield from _Layers(evidence, owner, forward).left_out(body.named_children)


def left_out_of_step(evidence: Evidence, statements: Sequence[Node]) -> tuple[str, Node] | None:
    """A model that a training step calls in some turns only, and where; None without one."""
    loops = [one for one in ancestors(statements[0]) if one.type in LOOPS] if statements else []
    if not loops:
        return None
    return next(_Models(evidence, loops[-1]).left_out(statements), None)


class _Ways(ABC):
    """The ways through statements, and the layers that each uses."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._places: dict[str, Node] = {}
        self._varying: dict[int, bool] = {}

    def left_out(self, statements: Sequence[Node]) -> Iterator[tuple[str, Node]]:
        """The layers that a run may leave out, with a place that uses each."""
        chosen = set(self._chosen(statements))
        used: defaultdict[str, list[int]] = defaultdict(list)
        ends: list[int] = []
        for node in (one for statement in statements for one in nodes_in(statement)):
            name = self._name(node)
            if name:
                self._places.setdefault(name, node)
                used[name].append(node.start_byte)
            elif node.type in LEAVES:
                ends.append(node.start_byte)
        layers = {name: _OfLayer(starts, ends, self._varies, self._is_drawn) for name, starts in used.items()}
        found = {name for name, layer in layers.items() if layer.differ(statements)}
        for name in sorted(chosen | found):
            if not self._has_optimizer(name, is_chosen=name in chosen):
                yield name, self._places[name]

    def _has_optimizer(self, name: str, *, is_chosen: bool) -> bool:
        """Whether an optimizer has the parameters of a layer, or of one of several, and no others."""
        last, data = re.escape(name.rpartition(".")[2].encode()), self._evidence.source.data
        head = rb"\.%s\b" % last if "self." in name else rb"\w\(%s" % last
        between = rb"[^\n]{0,40}" if "self." in name else b""
        item = rb"\[[^\n]{0,40}\]" if is_chosen else between
        found = re.finditer(head + item + rb"\.(parameters)\(", data)
        return any(not self._is_shared(self._evidence.source.node_at(*one.span(1))) for one in found)

    def _is_shared(self, place: Node | None) -> bool:
        """Whether parameters are a group of an optimizer, or are given to one with others, or to none."""
        for one in ancestors(place) if place is not None else ():
            if one.type in _JOINING or last_name_of(one) == "chain":
                return True
            if one.type == "call" and is_optimizer(self._evidence, one):
                return False
        return place is None or enclosing(place, "assignment") is None

    def _chosen(self, statements: Sequence[Node]) -> Iterator[str]:
        """Lists and dictionaries of layers of which one is chosen: ``self.heads[task](x)``."""
        for node in (one for statement in statements for one in nodes_in(statement)):
            is_part = node.type == "subscript"
            value, index = (field(node, "value"), field(node, "subscript")) if is_part else (None, None)
            name = self._name(value)
            if name and index is not None and any(self._varies_by(one) for one in _identifiers(index)):
                self._places[name] = node
                yield name

    @abstractmethod
    def _name(self, node: Node | None) -> str:
        """The layer that an expression names; empty for anything else."""

    @abstractmethod
    def _varies_by(self, name: Node) -> bool:
        """Whether a variable may have another value in the next run."""

    @abstractmethod
    def _is_option(self, name: str) -> bool:
        """Whether a variable is switched on or off for all of a training."""

    def _varies(self, condition: Node) -> bool:
        """Whether a condition may have another value in the next call."""
        if condition.id not in self._varying:
            self._varying[condition.id] = self._may_vary(condition)
        return self._varying[condition.id]

    def _is_drawn(self, node: Node) -> bool:
        """Whether chance decides what an expression gives: ``range(random.randint(0, 3))``."""
        values = [one.value for name in _identifiers(node) for one in self._evidence.reaching(name)]
        return any(_DRAWN.search(text_of(one)) for one in (node, *values) if one is not None)

    def _may_vary(self, condition: Node) -> bool:
        text = text_of(condition)
        if _DRAWN.search(text):
            return True
        if _FIXED.search(text):
            return False
        name = text.removeprefix("not ").strip()
        if self._is_option(name):
            return False
        return any(self._varies_by(one) for one in _identifiers(condition))


class _OfLayer:
    """The ways through statements, as far as one layer is concerned.

    What is fixed for all of a training (an option, the form of an argument) chooses a world, and a layer is
    left out only if the ways of one world differ: each branch of such a choice is looked at by itself.
    """

    def __init__(
        self,
        starts: Sequence[int],
        ends: Sequence[int],
        varies: Callable[[Node], bool],
        is_drawn: Callable[[Node], bool],
    ) -> None:
        self._starts = starts
        self._ends = ends
        self._varies = varies
        self._is_drawn = is_drawn

    def differ(self, statements: Sequence[Node]) -> bool:
        """Whether calls of one training may use the layer, and leave it out."""
        return any(len({path.uses for path in world}) > 1 for world in self._through(statements))

    def _through(self, nodes: Iterable[Node]) -> _Worlds:
        return reduce(_then, map(self._ways, nodes), _always(uses=False))

    def _ways(self, node: Node) -> _Worlds:
        if not _within(self._starts, node) and not _within(self._ends, node):
            return _always(uses=False)
        if node.type == "if_statement":
            return self._branches(node)
        if node.type in LOOPS:
            return self._turns(node)
        if node.type in _IN_ORDER:
            return self._through(node.named_children)
        if node.type in LEAVES:
            return _with(self._of_expression(node), goes_on=False)
        is_simple = node.type == "expression_statement" or not node.type.endswith(STATEMENT_SUFFIXES)
        return self._of_expression(node) if is_simple else _always(uses=bool(_within(self._starts, node)))

    def _turns(self, loop: Node) -> _Worlds:
        """The ways of a loop: one whose number of turns is drawn may have none."""
        inside = _with(self._through(loop.named_children), goes_on=True)
        over = field(loop, "right") or field(loop, "condition")
        if over is None or not self._is_drawn(over):
            return inside
        return frozenset(one | two for one in inside for two in _always(uses=False))

    def _branches(self, statement: Node) -> _Worlds:
        parts = [statement, *statement.children_by_field_name("alternative")]
        worlds = _always(uses=False)
        for part in reversed(parts):
            condition = field(part, "condition")
            if condition is None:
                worlds = self._ways(part)
                continue
            block = field(part, "consequence")
            inner = self._through(block.named_children) if block is not None else _always(uses=False)
            worlds = _then(self._of_expression(condition), self._either(condition, inner, worlds))
        return worlds

    def _either(self, condition: Node, first: _Worlds, second: _Worlds) -> _Worlds:
        """The worlds of a choice: of one that calls make, each world has the ways of both sides."""
        if self._varies(condition):
            return frozenset(one | two for one in first for two in second)
        return first | second

    def _of_expression(self, node: Node, depth: int = 0) -> _Worlds:
        starts = _within(self._starts, node)
        if not starts or depth > _DEEPEST:
            return _always(uses=bool(starts))
        parts = parts_of(node)
        if node.type == _CONDITIONAL and len(parts) == 3:
            first, condition, second = (self._of_expression(one, depth + 1) for one in parts)
            return _then(condition, self._either(parts[1], first, second))
        choices = [one for one in nodes_below(node, _CONDITIONAL) if one.type == _CONDITIONAL]
        within = Within(choices)
        if any(start not in within for start in starts):
            return _always(uses=True)
        return reduce(_then, (self._of_expression(one, depth + 1) for one in choices))


def _within(places: Sequence[int], node: Node) -> Sequence[int]:
    """The places, which are in the order of the text, that lie in a node."""
    return places[bisect_left(places, node.start_byte) : bisect_left(places, node.end_byte)]


def _with(worlds: _Worlds, *, goes_on: bool) -> _Worlds:
    """The same worlds, all of whose ways go on behind them, or none."""
    return frozenset(frozenset(_Path(one.uses, goes_on) for one in world) for world in worlds)


class _Layers(_Ways):
    """Those of one module, as its ``forward`` uses them."""

    def __init__(self, evidence: Evidence, owner: Node, function: Node) -> None:
        super().__init__(evidence)
        self._names = frozenset(_with_weights(evidence, owner))
        parameters = field(function, "parameters")
        self._parameters = _parameters(parameters) if parameters is not None else {}

    def _name(self, node: Node | None) -> str:
        if node is None or node.type != "attribute" or not text_of(node).startswith("self."):
            return ""
        return text_of(node) if text_of(node).removeprefix("self.") in self._names else ""

    def _varies_by(self, name: Node) -> bool:
        if text_of(name) in self._parameters:
            return True
        values = [one.value for one in self._evidence.reaching(name) if one.value is not None]
        texts = [(value, text_of(value)) for value in values]
        return any(
            _DRAWN.search(text)
            or (
                not _FIXED.search(text)
                and any(text_of(one) in self._parameters for one in _identifiers(value))
            )
            for value, text in texts
        )

    def _is_option(self, name: str) -> bool:
        return self._parameters.get(name) in ("True", "False", "None")


class _Models(_Ways):
    """The models that the statements of a training step call."""

    def __init__(self, evidence: Evidence, loop: Node) -> None:
        super().__init__(evidence)
        self._loop = loop

    def _name(self, node: Node | None) -> str:
        if node is None or call_of(node) is None or node.type not in ("identifier", "attribute", "subscript"):
            return ""
        found = self._evidence.instance(node)
        is_one = found is not None and is_module(found.class_name)
        is_one = is_one and found is not None and not WITHOUT_WEIGHTS.search(found.class_name)
        return text_of(node) if is_one else ""

    def _varies_by(self, name: Node) -> bool:
        bindings = self._evidence.reaching(name)
        return any(self._loop.start_byte <= one.node.start_byte < self._loop.end_byte for one in bindings)

    def _is_option(self, name: str) -> bool:
        return False


def _identifiers(root: Node) -> Iterator[Node]:
    """The variables of an expression, none of which is an attribute or a keyword."""
    for node in nodes_in(root):
        parent = parent_of(node)
        is_part = parent is not None and (
            (parent.type == "attribute" and field(parent, "attribute") == node)
            or (parent.type == "keyword_argument" and field(parent, "name") == node)
        )
        if node.type == "identifier" and not is_part and text_of(node) != "self":
            yield node


def _parameters(parameters: Node) -> dict[str, str]:
    """The parameters of a function but the first, with their defaults."""
    found = {}
    for one in parameters.named_children[1:]:
        name = next((each for each in nodes_in(one) if each.type == "identifier"), None)
        if name is not None:
            value = field(one, "value")
            found[text_of(name)] = text_of(value)
    return found


def _with_weights(evidence: Evidence, owner: Node) -> Iterator[str]:
    """The attributes of a module that hold layers, or modules, that may have parameters."""
    for node in nodes_in(owner):
        target = field(node, "left") if node.type == "assignment" else None
        value = field(node, "right") if node.type == "assignment" else None
        if target is None or value is None or target.type != "attribute" or value.type != "call":
            continue
        found = evidence.instance(value)
        is_layer = (
            found is not None and is_module(found.class_name) and not WITHOUT_WEIGHTS.search(found.class_name)
        )
        is_own = any(one.id == owner.id for one in ancestors(target) if one.type == "class_definition")
        if is_layer and is_own and text_of(target).startswith("self."):
            yield text_of(target).removeprefix("self.")
