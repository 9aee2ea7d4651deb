"""Layers that a module, or a training step, uses in some of its calls only.

PyTorch leaves a parameter alone that a step does not reach: it has no gradient. ``ms.value_and_grad`` gives
zeros for it, with which an optimizer moves it by weight decay, momentum and its moments, without an error. So
what may leave out a layer is refused, unless the layer has an optimizer of its own.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from .....engine.scan import scan_definitions
from .....inference.torch_classes import is_module
from .....limits.below import nodes_in
from .....limits.parents import parent_of
from .....text.syntax import LEAVES, LOOPS, ancestors, call_of, enclosing, field, text_of
from ...evidence import Evidence
from ...use import Reason, Use, refused

_MOST_PATHS = 64
_WITHOUT_WEIGHTS = re.compile(
    r"(?:Dropout\w*|\w*ReLU\w*|\w*Pool\w*|Flatten|Unflatten|Identity|Softmax\w*|LogSoftmax|Sigmoid|Tanh|GELU|ELU|SELU"
    r"|SiLU|Mish|Hard\w+|Softplus|\w*Loss|Upsample\w*|\w*Pad\dd?|PixelShuffle|Fold|Unfold|CosineSimilarity)$"
)
"""Layers of torch that have no parameters."""
_FIXED = re.compile(
    r"\bis\s+(?:not\s+)?None\b|\b(?:isinstance|hasattr|len)\s*\(|\.(?:shape|size|ndim|dim|training|dtype|is_cuda)\b"
)
"""What asks for the form of an argument, which stays as it is in a training, and not for its value."""
_DRAWN = re.compile(r"\brandom\b|\brand\w*\s*\(|\bbernoulli\b|\bsample\b")


class _Path(NamedTuple):
    """One way through a function: what it uses, and whether it goes on behind the last statement."""

    used: frozenset[str]
    goes_on: bool = True


def uses_of_partly(evidence: Evidence) -> Iterator[Use]:
    """The layers of modules of the file that are refused, each at a place that uses it."""
    for _, definition in scan_definitions(evidence.source, ["forward"]):
        owner = enclosing(definition, "class_definition")
        body = field(definition, "body")
        if owner is None or body is None:
            continue
        layers = _Layers(evidence, owner, definition)
        for name, place in layers.left_out(body.named_children):
            yield refused("torch.nn.Module.forward", place, Reason.PARTLY, name)


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

    def left_out(self, statements: Sequence[Node]) -> Iterator[tuple[str, Node]]:
        """The layers that a run may leave out, with a place that uses each."""
        found = set(self._chosen(statements))
        paths = self._through(statements)
        every = frozenset[str]().union(*(one.used for one in paths))
        found |= every - every.intersection(*(one.used for one in paths))
        for name in sorted(found):
            if not self._has_optimizer(name):
                yield name, self._places[name]

    def _has_optimizer(self, name: str) -> bool:
        last = re.escape(name.rpartition(".")[2].encode())
        pattern = (
            rb"\.%s\b[^\n]{0,40}\.parameters\(" % last if "self." in name else rb"\w\(%s\.parameters\(" % last
        )
        return re.search(pattern, self._evidence.source.data) is not None

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

    def _used(self, node: Node) -> frozenset[str]:
        """The layers that a statement, or an expression, names."""
        found = set()
        for one in nodes_in(node):
            name = self._name(one)
            if name:
                self._places.setdefault(name, one)
                found.add(name)
        return frozenset(found)

    def _through(self, statements: Sequence[Node]) -> list[_Path]:
        """The ways through some statements; where there are too many, one that uses all."""
        paths = [_Path(frozenset())]
        for statement in statements:
            ways = self._ways(statement)
            open_, ended = [one for one in paths if one.goes_on], [one for one in paths if not one.goes_on]
            joined = {_Path(one.used | way.used, way.goes_on) for one in open_ for way in ways}
            paths = [*ended, *joined]
            if len(paths) > _MOST_PATHS:
                return [_Path(frozenset[str]().union(*(one.used for one in paths)))]
        return paths

    def _ways(self, statement: Node) -> list[_Path]:
        if statement.type == "if_statement":
            return self._branches(statement)
        body = (
            field(statement, "body")
            if statement.type in ("for_statement", "with_statement", "while_statement")
            else None
        )
        if body is not None:
            over = field(statement, "right")
            before = self._used(over) if over is not None else frozenset[str]()
            inner = self._through(body.named_children)
            is_loop = statement.type != "with_statement"
            return [_Path(one.used | before, one.goes_on or is_loop) for one in inner]
        used = self._used(statement)
        for choice in nodes_in(statement):
            if choice.type == "conditional_expression" and self._varies(choice.named_children[1]):
                first, second = (self._used(choice.named_children[at]) for at in (0, 2))
                rest = used - (first ^ second)
                return [_Path(rest | one, statement.type not in LEAVES) for one in (first, second)]
        return [_Path(used, statement.type not in LEAVES)]

    def _branches(self, statement: Node) -> list[_Path]:
        parts = [field(statement, "consequence"), *statement.children_by_field_name("alternative")]
        blocks = [_block(one) for one in parts if one is not None]
        conditions = [
            field(statement, "condition"),
            *(field(one, "condition") for one in parts[1:] if one is not None),
        ]
        has_else = any(one is not None and one.type == "else_clause" for one in parts)
        ways = [way for block in blocks for way in self._through(block.named_children)]
        if not has_else:
            ways.append(_Path(frozenset()))
        if any(one is not None and self._varies(one) for one in conditions):
            return ways
        used = frozenset[str]().union(*(one.used for one in ways))  # the same branch in every call
        return [_Path(used, any(one.goes_on for one in ways))]

    def _varies(self, condition: Node) -> bool:
        """Whether a condition may have another value in the next call."""
        text = text_of(condition)
        if _DRAWN.search(text):
            return True
        if _FIXED.search(text):
            return False
        name = text.removeprefix("not ").strip()
        if self._is_option(name):
            return False
        return any(self._varies_by(one) for one in _identifiers(condition))


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
        is_one = is_one and found is not None and not _WITHOUT_WEIGHTS.search(found.class_name)
        return text_of(node) if is_one else ""

    def _varies_by(self, name: Node) -> bool:
        bindings = self._evidence.reaching(name)
        return any(self._loop.start_byte <= one.node.start_byte < self._loop.end_byte for one in bindings)

    def _is_option(self, name: str) -> bool:
        return False


def _block(part: Node) -> Node:
    if part.type == "block":
        return part
    return field(part, "consequence") or field(part, "body") or part


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
            found[text_of(name)] = text_of(value) if value is not None else ""
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
            found is not None
            and is_module(found.class_name)
            and not _WITHOUT_WEIGHTS.search(found.class_name)
        )
        is_own = any(one.id == owner.id for one in ancestors(target) if one.type == "class_definition")
        if is_layer and is_own and text_of(target).startswith("self."):
            yield text_of(target).removeprefix("self.")
