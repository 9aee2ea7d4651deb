"""Where a value lives, on the CPU or on the device, and where code computes that is given it.

This is the one answer to both questions: rules that speak of an operator or a dtype on the device ask it.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from ..engine.context import Context
from ..engine.events import MemberRef, NameRef
from ..facts.releases.device_free import creation_on_cpu
from ..flow import device_flow
from ..flow.libraries import is_plain_library
from ..inference.host_classes import is_host_class
from ..inference.kinds import Kind, derives_from_module
from ..inference.walk.reading import Reading, Walk, Way
from ..inference.walk.walker import Walker
from ..limits.parents import parent_of
from ..model.finding import Finding
from ..text.names import NameResolution
from ..text.scopes import Binding
from ..text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    enclosing,
    field,
    last_name,
    text_of,
    without_parentheses,
)

if TYPE_CHECKING:
    from ..inference.models.code import ModelCode

_SETTERS = ("set_default_device", "set_default_tensor_type")
_MADE_OF_VALUES = frozenset({"torch.tensor", "torch.as_tensor", "torch.asarray"})
"""What makes a tensor of what it is given: on the CPU, unless that is a tensor of the device."""
_READERS = frozenset({"torchaudio.load", "torchvision.io.read_image", "torchvision.io.read_video"})
"""What reads files into tensors, on the CPU."""
_NAMES_DEVICE = re.compile(rb"cuda|\bnpu\b|[Dd]evice|\bto\((?!torch\.|dtype)")
_SEVERAL = ("list", "tuple", "list_comprehension")
_CONSTRUCTORS = ("__init__", "reset_parameters", "init_weights", "_reset_parameters", "_init_weights")
"""Methods of modules that run before the module comes to the device."""
_MOVES = ("cuda", "npu")


class Residence(enum.Enum):
    """Where a value lives."""

    CPU = "on the CPU"
    DEVICE = "on the device"
    UNKNOWN = "nothing shows where"
    ANYWHERE = "a number, a text, a dtype: computed with wherever"
    PENDING = "being looked into"


def residence_of(expression: Node, ctx: Context) -> Residence:
    """Where a value lives, as far as its file shows."""
    walker = ctx.once(Residence, lambda: Walker(ctx.source, _Residences(ctx), ctx.instances.classes))
    found = walker.of(expression)
    return Residence.UNKNOWN if found is Residence.PENDING else found


def last_residence_of(expression: Node, ctx: Context) -> Residence:
    """Where a value was put last, in the order of the text: a branch before the place counts as taken."""
    walker = ctx.once(
        _LastResidences, lambda: Walker(ctx.source, _LastResidences(ctx), ctx.instances.classes)
    )
    return walker.of(expression)


def model_code(ctx: Context) -> ModelCode:
    """The code of models in a file."""
    from ..inference.models.code import ModelCode  # no check needs it of a file without models

    return ctx.once(ModelCode, lambda: ModelCode(ctx.source, ctx.instances.classes))


def is_on_cpu(expression: Node, ctx: Context) -> bool:
    """Whether a value is evidently on the CPU: there the lists have nothing to say."""
    return residence_of(expression, ctx) is Residence.CPU


def computes_on_cpu(place: Node, operands: Iterable[Node], ctx: Context) -> bool:
    """Whether an operator computes on the CPU: its operands live there, or the code around it runs there."""
    found = together(residence_of(operand, ctx) for operand in operands)
    return found is Residence.CPU or (found is not Residence.DEVICE and is_host_code(place, ctx))


def call_computes_on_cpu(ref: NameRef, ctx: Context) -> bool:
    """The same for a call of a function of torch. What a class makes may come to the device later."""
    if ref.call is None or _is_class(ref.name):
        return False
    is_made_there = creation_on_cpu(ref.name) is not None and placed_by(ref.call, ctx) is None
    if is_made_there and not _comes_to_default(ref.name, ref.call, ctx):
        return True
    return computes_on_cpu(ref.call, (ref.call,), ctx)


def of_device_calls(findings: Iterable[Finding], ref: NameRef, ctx: Context) -> Iterator[Finding]:
    """Findings on a call of a function of torch that does not compute on the CPU. To know takes longest: it
    is asked where there is something to say."""
    return (finding for finding in findings if not call_computes_on_cpu(ref, ctx))


def of_device_members(findings: Iterable[Finding], ref: MemberRef, ctx: Context) -> Iterator[Finding]:
    """The same on a member of an object of torch."""
    return (finding for finding in findings if not computes_on_cpu(ref.node, (ref.receiver,), ctx))


def is_host_code(place: Node, ctx: Context) -> bool:
    """Whether code runs on the CPU: in a data set or a sampler, or in the constructor of a module, which
    comes to the device later. Where its text names a device nothing is known."""
    owner = ctx.source.enclosing(place, "class_definition")
    if owner is None:
        return False
    if is_host_class(owner, ctx.source.names):
        return not _names_device(owner)
    function = ctx.source.enclosing(place, "function_definition", "lambda")
    is_constructor = text_of(field(function, "name")) in _CONSTRUCTORS
    if function is None or not is_constructor or _has_default_device(place, ctx):
        return False
    return derives_from_module(owner, ctx.source.names) and not _names_device(function)


def placed_by(call: Node, ctx: Context) -> Residence | None:
    """Where a call puts its result; None where it leaves it where it was."""
    name, arguments = last_name(call), arguments_of(call)
    if name in ("cpu", "numpy"):
        return Residence.CPU
    if name in _MOVES:
        return Residence.DEVICE
    device = arguments.keyword("device")
    if device is not None:
        return _place_of(device.value, ctx, is_device=True)
    first = arguments.at(0)
    if name != "to" or first is None:
        return Residence.UNKNOWN if name in ("to", "type_as") else None
    if ctx.source.names.name_of(first.value).startswith("torch."):
        return None  # a dtype
    return _place_of(first.value, ctx, is_device=False)


def together(values: Iterable[Residence]) -> Residence:
    """Where an operator computes with several values: all that are tensors live together."""
    found = set(values)
    order = (Residence.DEVICE, Residence.CPU, Residence.UNKNOWN, Residence.PENDING)
    return next((one for one in order if one in found), Residence.ANYWHERE)


def names_cpu(device: Node, ctx: Context) -> bool:
    """Whether an expression names the CPU as a device, itself or by a name that stands for nothing else."""
    if text_of(device) in _CPU:
        return True
    if device.type != "identifier":
        return False
    bindings = ctx.source.names.bindings_in_scope(text_of(device), device)
    values = [binding.value for binding in bindings]
    return bool(values) and all(text_of(value) in _CPU for value in values)


_CPU = frozenset(
    text for quote in "'\"" for text in (f"{quote}cpu{quote}", f"torch.device({quote}cpu{quote})")
)
"""The ways to write the device."""


def _place_of(device: Node, ctx: Context, *, is_device: bool) -> Residence:
    """Which device an expression is, of which the place may say that it is one."""
    node = without_parentheses(device)
    if names_cpu(node, ctx):
        return Residence.CPU
    if node.type == "attribute" and text_of(field(node, "attribute")) == "device":
        owner = field(node, "object")
        found = residence_of(owner, ctx) if owner is not None else Residence.UNKNOWN
        return Residence.CPU if found is Residence.CPU else Residence.DEVICE
    if "cpu" in text_of(node) or node.type == "none":
        return Residence.UNKNOWN
    is_known = is_device or node.type == "string" or ctx.kind(node) is Kind.DEVICE
    return Residence.DEVICE if is_known or device_flow(ctx).is_named(node) else Residence.UNKNOWN


def _is_class(name: str) -> bool:
    """Whether a name of torch is a class that makes no tensor."""
    return name.rpartition(".")[2][:1].isupper() and creation_on_cpu(name) is None


def _names_device(code: Node) -> bool:
    return _NAMES_DEVICE.search(code.text or b"") is not None


def _comes_to_default(name: str, call: Node, ctx: Context) -> bool:
    """Whether what is made without a device may come to another default than the CPU."""
    if creation_on_cpu(name) == "no":
        return False
    return arguments_of(call).unpacked or _has_default_device(call, ctx)


def _has_default_device(node: Node, ctx: Context) -> bool:
    """Whether tensors without a device may come to another than the CPU at a place."""
    if any(name.startswith("cuda.") or name == "device" for name in ctx.project.default_types):
        return True
    if any(True for setter in _SETTERS for _ in ctx.source.identifiers(setter)):
        return True
    return any(_sets_device(item) for item in ancestors(node) if item.type == "with_statement")


def _sets_device(statement: Node) -> bool:
    """Whether ``with torch.device(device):`` may be what a statement begins with."""
    clauses = (child for child in statement.named_children if child.type == "with_clause")
    return any("device" in text_of(clause) for clause in clauses)


class _Residences(Reading[Residence]):
    """Where a value lives: all that it may be must live in one place."""

    unknown = Residence.UNKNOWN
    pending = Residence.PENDING
    literals = dict.fromkeys(
        ("integer", "float", "string", "concatenated_string", "true", "false", "none", "not_operator"),
        Residence.ANYWHERE,
    )
    ways = frozenset(
        {Way.ITEMS, Way.MEMBERS, Way.CALLEES, Way.RETURNS, Way.DRAWN, Way.UNPACKING, Way.RESULTS}
    )

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def joined(self, values: Iterator[Residence]) -> Residence:
        found = set(values)
        decided = found - {Residence.PENDING, Residence.ANYWHERE}
        if len(decided) == 1:
            return decided.pop()
        return Residence.UNKNOWN if decided else together(found)

    def settled(self, node: Node, walk: Walk[Residence], depth: int) -> Residence | None:
        if node.type in ("list", "tuple"):
            return together(walk.of(item, depth) for item in node.named_children if item.type != "comment")
        if node.type in ("list_comprehension", "generator_expression"):
            body = field(node, "body")
            return walk.of(body, depth) if body is not None else None
        names = walk.source.names
        if node.type == "call":
            name = names.called_in(node)
            return self._made_by_torch(name, node, walk, depth) if name.startswith("torch.") else None
        is_torch = node.type == "attribute" and names.name_of(node).startswith("torch.")
        return Residence.ANYWHERE if is_torch else None  # a dtype, or a function

    def imported(self, binding: Binding, walk: Walk[Residence]) -> Residence | None:
        return Residence.ANYWHERE if is_plain_library(binding.target) else None

    def made_by(self, function: NameResolution, call: Node) -> Residence | None:
        name = function.qualified_name
        is_host = name in _READERS or (function.binding is not None and is_plain_library(name))
        return Residence.CPU if is_host else None

    def unpacked(self, value: Node, walk: Walk[Residence], depth: int) -> Residence | None:
        """``wave, rate = torchaudio.load(path)``: a part of what is made on the CPU is there."""
        found = walk.of(value, depth) if value.type == "call" else self.unknown
        return Residence.CPU if found is Residence.CPU else None

    def _made_by_torch(self, name: str, call: Node, walk: Walk[Residence], depth: int) -> Residence:
        """Where a function of torch puts its result: at a device that it is given, else with its operands."""
        creation = creation_on_cpu(name)
        if name.startswith("torch.cuda."):
            return Residence.DEVICE
        if creation == "no":
            return Residence.CPU
        placed = placed_by(call, self._ctx)
        if placed is not None or _is_class(name) or arguments_of(call).unpacked:
            return placed or self.unknown  # a parameter moves with its module
        if creation is not None:
            return self._made_without_device(name, call)
        if name in _MADE_OF_VALUES and _holds_several(call):  # the numbers are read, wherever they are
            return self._made_without_device(name, call)
        found = self._of_operands(call, walk, depth)
        is_known = found is not Residence.ANYWHERE or name in _MADE_OF_VALUES
        return found if is_known else self.unknown

    def _made_without_device(self, name: str, call: Node) -> Residence:
        """A tensor without a device is on the CPU where the file places its tensors itself. Where it names
        no device, nothing shows how they come to one."""
        places = self._ctx.once(
            _NAMES_DEVICE, lambda: _NAMES_DEVICE.search(self._ctx.source.data) is not None
        )
        return Residence.CPU if places and not _comes_to_default(name, call, self._ctx) else self.unknown

    def _of_operands(self, call: Node, walk: Walk[Residence], depth: int) -> Residence:
        return together(walk.of(item.value, depth) for item in arguments_of(call).items)

    def plain_call(self, function: Node, call: Node, walk: Walk[Residence], depth: int) -> Residence | None:
        """A function of the file that names no device gives what it was given back where it was."""
        definition = walk.classes.definition_of(function)
        if definition is None or definition.type != "function_definition" or _names_device(definition):
            return None
        found = walk.returned(definition, depth)
        if found is not self.unknown:
            return found
        given = self._of_operands(call, walk, depth)
        return self.unknown if given is Residence.ANYWHERE else given

    def method(self, receiver: Node, name: str, walk: Walk[Residence], depth: int) -> Residence | None:
        call = call_of(parent_of(receiver))
        placed = placed_by(call, self._ctx) if call is not None else self.unknown
        return walk.of(receiver, depth) if placed is None else placed

    def operation(self, node: Node, operands: Sequence[Residence]) -> Residence | None:
        return together(operands)


class _LastResidences(_Residences):
    """Where a value was put last. What a model's forward pass is given is on the device."""

    ways = _Residences.ways | {Way.LATEST}
    guesses = True

    def parameter(self, binding: Binding, walk: Walk[Residence]) -> Residence | None:
        function = enclosing(binding.node, "function_definition", "lambda")
        return Residence.DEVICE if function in model_code(self._ctx).functions else None

    def applied(self, function: Node, walk: Walk[Residence], depth: int) -> Residence | None:
        call = call_of(function)
        if call is not None and model_code(self._ctx).is_module(function):
            return self._of_operands(call, walk, depth)
        return super().applied(function, walk, depth)


def _holds_several(call: Node) -> bool:
    """Whether a tensor is made of several numbers: one of a single number is computed with anywhere."""
    first = arguments_of(call).at(0)
    return first is not None and without_parentheses(first.value).type in _SEVERAL
