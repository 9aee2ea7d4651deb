"""What an expression is, as far as its own file shows: a tensor, a module, a device, a number, a text.

Evidence is local: literals, constructors, annotations, assignments to a name or to ``self.x``, and,
for ordinals, the names that distributed code gives them. No evidence gives :attr:`Kind.UNKNOWN`;
evidence for two kinds does too.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from ..limits.walks import WALK_LIMITS
from ..text.names import NameResolution, NameTable
from ..text.scopes import Binding, BindingKind
from ..text.syntax import arguments_of, field, last_name, operator_of, text_of
from .classes.class_definitions import ClassDefinitions
from .naming_hints import (
    INTEGER_ATTRIBUTES,
    INTEGER_CALLS,
    INTEGER_LISTS,
    INTEGER_NAMES,
    KEEPS_RECEIVER,
    MODULE_BASES,
    NOT_TENSORS,
    TENSOR_ATTRIBUTES,
    TENSOR_METHODS,
)
from .walk.reading import Reading, Unfollowed, Walk, Way
from .walk.walker import Walker

if TYPE_CHECKING:
    from ..text.source_file import SourceFile


class Kind(enum.Enum):
    """What a value is."""

    TENSOR = "tensor"
    MODULE = "module"
    OPTIMIZER = "optimizer"
    DEVICE = "device"
    INTEGER = "integer"
    TEXT = "text"
    BOOLEAN = "boolean"
    NONE = "none"
    STREAM = "stream"
    OTHER = "other"
    """Known to be none of these: an object of a class of this file, or of another library."""
    UNKNOWN = "unknown"
    PENDING = "being looked into"
    """On the way alone, never an answer: ``i = i + 1`` is no evidence of its own."""


_LITERALS = {
    "integer": Kind.INTEGER,
    "string": Kind.TEXT,
    "concatenated_string": Kind.TEXT,
    "true": Kind.BOOLEAN,
    "false": Kind.BOOLEAN,
    "none": Kind.NONE,
    "comparison_operator": Kind.BOOLEAN,
    "not_operator": Kind.BOOLEAN,
    "dictionary": Kind.OTHER,
    "list": Kind.OTHER,
    "tuple": Kind.OTHER,
    "set": Kind.OTHER,
    "float": Kind.OTHER,
    "list_comprehension": Kind.OTHER,
    "dictionary_comprehension": Kind.OTHER,
}
_BUILTIN_CALLS = {"int": Kind.INTEGER, "len": Kind.INTEGER, "str": Kind.TEXT, "bool": Kind.BOOLEAN}
_TEXT_METHODS = frozenset({"format", "join", "strip", "lower", "upper"})
_ANNOTATIONS = {
    "int": Kind.INTEGER,
    "str": Kind.TEXT,
    "bool": Kind.BOOLEAN,
    "nn.Module": Kind.MODULE,
    "torch.nn.Module": Kind.MODULE,
    "Module": Kind.MODULE,
    "torch.device": Kind.DEVICE,
}
_UNION = re.compile(r"(?:(?:typing\.)?(?:Optional|Union)\[)+([^\[\]]*)\]+")
_DEVICES = frozenset({Kind.TEXT, Kind.DEVICE})
_NOTHING = frozenset({"", "None", "NoneType"})
"""Members of a union that add no kind."""


class TypeInference:
    """Answers for one file; every answer is kept."""

    def __init__(self, source: SourceFile, classes: ClassDefinitions | None = None) -> None:
        self._walker = Walker(source, Likely(), classes)

    def kind(self, expression: Node) -> Kind:
        """What an expression is."""
        found = self._walker.of(expression)
        return Kind.UNKNOWN if found is Kind.PENDING else found

    def unfollowed(self, expression: Node) -> tuple[Unfollowed, ...]:
        """Why the kind of an expression is unknown: where its way back could not be followed."""
        return self._walker.unfollowed(expression)

    def is_module_class(self, definition: Node) -> bool:
        """Whether a class definition derives from ``nn.Module``."""
        return derives_from_module(definition, self._walker.source.names)

    def assigned_to_self(self, owner: Node, name: str) -> Sequence[Node]:
        """The values that the methods of a class assign to ``self.<name>``."""
        return self._walker.classes.assigned_in(owner, name)


class Likely(Reading[Kind]):
    """What a value is on the balance of the evidence, names included."""

    unknown = Kind.UNKNOWN
    pending = Kind.PENDING
    literals = _LITERALS
    ways = frozenset({Way.DEFAULTS, Way.OPERANDS})
    guesses = True

    # -- names -------------------------------------------------------------------------------------

    def joined(self, values: Iterator[Kind]) -> Kind:
        kinds = set(values) - {Kind.NONE}
        if len(kinds) > 1:
            kinds.discard(Kind.PENDING)
        return kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN

    def joined_in_name(self, name: str, values: Iterator[Kind]) -> Kind:
        kinds: set[Kind] = set()
        for kind in values:
            kinds.add(kind)
            if kind is Kind.UNKNOWN and name not in INTEGER_NAMES:
                return Kind.UNKNOWN
        if name in INTEGER_NAMES and kinds <= {Kind.INTEGER, Kind.UNKNOWN, Kind.NONE, Kind.PENDING}:
            return Kind.INTEGER
        return self.joined(iter(kinds))

    def unbound(self, name: str) -> Kind | None:
        return Kind.INTEGER if name in INTEGER_NAMES else None

    def self_in(self, owner: Node | None, walk: Walk[Kind], depth: int) -> Kind | None:
        return Kind.MODULE if derives_from_module(owner, walk.source.names) else None

    def annotated(self, annotation: Node, walk: Walk[Kind], depth: int) -> Kind | None:
        text = text_of(annotation).strip("'\"")
        inner = _UNION.fullmatch(text)
        text = text.removeprefix("Optional[").rstrip("]")
        parts = re.split(r"[|,]", inner[1]) if inner is not None else text.split("|")
        named = [_annotated(part.strip()) for part in parts if part.strip() not in _NOTHING]
        found = [kind for kind in named if kind is not None]
        if not found:
            return None
        # What takes a device takes its text as well; of any other two kinds the value may be either, and
        # beside a class that is not known it may be of that.
        return found[0] if set(named) <= _DEVICES or len(set(named)) == 1 else Kind.UNKNOWN

    def imported(self, binding: Binding, walk: Walk[Kind]) -> Kind | None:
        return Kind.OTHER

    def counter(self) -> Kind | None:
        return Kind.INTEGER

    def yielded(
        self, iterable: Node, place: tuple[int, ...], binding: Binding, walk: Walk[Kind], depth: int
    ) -> Kind | None:
        function = field(iterable, "function") if not place else None
        return Kind.INTEGER if text_of(function) == "range" else None

    # -- attributes, calls and operators -----------------------------------------------------------

    def member(self, owner: Node, name: str, walk: Walk[Kind], depth: int) -> Kind | None:
        if name == "device":
            return Kind.DEVICE
        if name.lower() in INTEGER_NAMES or name in INTEGER_ATTRIBUTES:
            return Kind.INTEGER
        if name not in TENSOR_ATTRIBUTES:
            return None
        found = walk.of(owner, depth)
        if found is Kind.PENDING:
            return found
        return Kind.TENSOR if found in (Kind.TENSOR, Kind.MODULE) else None

    def made_by(self, function: NameResolution, call: Node) -> Kind | None:
        name = function.qualified_name
        is_known = function.binding is not None or name.startswith("torch.")
        return kind_of_call(name) if is_known else None

    def plain_call(self, function: Node, call: Node, walk: Walk[Kind], depth: int) -> Kind | None:
        return _BUILTIN_CALLS.get(text_of(function))

    def definition_behind(self, function: Node, walk: Walk[Kind]) -> Node | None:
        bindings = walk.source.names.bindings_in_scope(text_of(function), function)
        statements = (item.statement for item in bindings)
        return next((item for item in statements if item.type == "class_definition"), None)

    def instance_of(self, definition: Node, walk: Walk[Kind], depth: int) -> Kind | None:
        if derives_from_module(definition, walk.source.names):
            return Kind.MODULE
        bases = field(definition, "superclasses")
        plain = bases is None or all(text_of(base) == "object" for base in bases.named_children)
        return Kind.OTHER if plain else None

    def method(self, receiver: Node, name: str, walk: Walk[Kind], depth: int) -> Kind | None:
        if name in KEEPS_RECEIVER:
            return walk.of(receiver, depth)
        if name in INTEGER_CALLS:
            return Kind.INTEGER
        if name in TENSOR_METHODS:
            return Kind.TENSOR
        return Kind.TEXT if name in _TEXT_METHODS else None

    def item(self, holder: Kind, node: Node, walk: Walk[Kind], depth: int) -> Kind | None:
        if holder is Kind.TENSOR:
            return Kind.TENSOR
        if _is_item_of_ordinals(node):
            return Kind.INTEGER
        if _is_item_of_integers(node, walk, depth):
            return Kind.INTEGER
        return holder if holder is Kind.PENDING else None

    def operation(self, node: Node, operands: Sequence[Kind]) -> Kind | None:
        if len(operands) == 1:
            return operands[0]
        if Kind.TENSOR in operands:
            return Kind.TENSOR
        if Kind.TEXT in operands:
            return Kind.TEXT
        if Kind.PENDING in operands:
            return Kind.PENDING
        is_whole = set(operands) == {Kind.INTEGER} and operator_of(node) != "/"
        return Kind.INTEGER if is_whole else None


def _annotated(part: str) -> Kind | None:
    """The kind that one class of an annotation names."""
    if part in _ANNOTATIONS:
        return _ANNOTATIONS[part]
    last = part.rpartition(".")[2]
    if last == "Tensor" or (last.endswith("Tensor") and "torch" in part):
        return Kind.TENSOR
    return None


def _is_item_of_ordinals(subscript: Node) -> bool:
    """``gpu_ids[0]``: one item of what goes by the name of a list of ordinals."""
    value, key = field(subscript, "value"), field(subscript, "subscript")
    if value is None or key is None or key.type in ("slice", "string"):
        return False
    return text_of(value).rpartition(".")[2] in INTEGER_LISTS


def _is_item_of_integers(subscript: Node, walk: Walk[Kind], depth: int) -> bool:
    """``ids[0]`` where ``ids`` is given nothing but lists of integers, as ``[int(i) for i in s]`` is."""
    value, key = field(subscript, "value"), field(subscript, "subscript")
    if value is None or key is None or value.type != "identifier" or key.type in ("slice", "string"):
        return False
    bindings = walk.source.names.bindings_in_scope(text_of(value), value)
    given = [binding.value for binding in bindings if binding.value is not None]
    if len(given) != len(bindings) or any(item.kind is not BindingKind.ASSIGNMENT for item in bindings):
        return False
    return bool(given) and all(_has_integers(item, walk, depth) for item in given)


def _has_integers(expression: Node, walk: Walk[Kind], depth: int) -> bool:
    """Whether a list, a tuple or a range has integers and nothing else."""
    if expression.type in ("list", "tuple"):
        items = [item for item in expression.named_children if item.type != "comment"]
        return bool(items) and all(item.type == "integer" for item in items)
    if expression.type == "list_comprehension":
        body = field(expression, "body")
        return body is not None and walk.of(body, depth) is Kind.INTEGER
    if expression.type != "call" or last_name(expression) not in ("range", "list", "tuple", "sorted"):
        return False
    given = arguments_of(expression).at(0)
    return last_name(expression) == "range" or (given is not None and _has_integers(given.value, walk, depth))


def derives_from_module(owner: Node | None, names: NameTable, level: int = 0) -> bool:
    """Whether a class definition derives from ``nn.Module``, as far as the file shows."""
    bases = field(owner, "superclasses")
    if bases is None or level > WALK_LIMITS.bases:
        return False
    return any(_is_module_base(base, names, level + 1) for base in bases.named_children)


def _is_module_base(base: Node, names: NameTable, level: int) -> bool:
    resolution = names.qualified_name(base)
    if resolution is not None and resolution.binding is not None:
        return is_module_class(resolution.qualified_name)
    if base.type == "identifier":
        for binding in names.bindings_in_scope(text_of(base), base):
            if binding.statement.type == "class_definition":
                return derives_from_module(binding.statement, names, level)
    return is_module_class(text_of(base))


def is_module_class(qualified_name: str) -> bool:
    """Whether a class of that name is an ``nn.Module`` class, as far as its name alone shows."""
    if qualified_name in MODULE_BASES:
        return True
    module, _, last = qualified_name.rpartition(".")
    if not module.startswith("torch.nn") or module.startswith(("torch.nn.utils", "torch.nn.init")):
        return False
    return last[:1].isupper() and last not in ("Parameter", "UninitializedParameter", "Buffer")


def kind_of_call(qualified_name: str) -> Kind:
    """What a call of an imported name gives."""
    if is_module_class(qualified_name):
        return Kind.MODULE
    if qualified_name in ("torch.device", "torch.cuda.device", "torch.accelerator.current_accelerator"):
        return Kind.DEVICE
    if qualified_name.startswith("torch.optim."):
        return Kind.OPTIMIZER
    if qualified_name in ("torch.cuda.Stream", "torch.cuda.current_stream", "torch.cuda.default_stream"):
        return Kind.STREAM
    last = qualified_name.rpartition(".")[2]
    if last in INTEGER_CALLS:
        return Kind.INTEGER
    if qualified_name.startswith("torch.nn.functional.") or qualified_name == "torch.nn.Parameter":
        return Kind.TENSOR
    if qualified_name.count(".") == 1 and qualified_name.startswith("torch."):
        return Kind.UNKNOWN if last in NOT_TENSORS else Kind.TENSOR
    if qualified_name.startswith("torch.cuda.") and last.endswith("Tensor"):
        return Kind.TENSOR
    return Kind.UNKNOWN
