"""Of which of PyTorch's classes a value is an instance: on evidence that leaves no other reading.

Support lists speak of methods by their class. To say that ``x.to_dense()`` is not supported one must know
that ``x`` is a tensor; that the name looks like it is not enough. Where :mod:`.kinds` weighs what is
likely, this module answers only what the file proves: calls of PyTorch, annotations, parameters of
``forward``, what ``__init__`` keeps in ``self``, what a ``DataLoader`` yields. All bindings of a name must
agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ..limits.parents import parent_of
from ..text.names import NameResolution
from ..text.scopes import Binding
from ..text.syntax import arguments_of, call_of, called_on, enclosing, field, last_name, text_of
from .classes.annotations import annotated_class, name_in
from .classes.class_definitions import ClassDefinitions
from .classes.torch_classes import (
    DATA_LOADER,
    MODULE,
    TENSOR,
    attribute_of,
    gives_its_own_class,
    instance_made_by,
    is_module,
    is_tensor,
    item_of,
    items_of_tuple,
    result_of_call,
    result_of_method,
)
from .duck_typing import use_of_no_tensor
from .walk.reading import LITERAL_TYPES, Reading, Stop, Unfollowed, Walk, Way
from .walk.walker import Walker

if TYPE_CHECKING:
    from ..text.source_file import SourceFile


class Instance(NamedTuple):
    """What is known of a value."""

    class_name: str
    """Qualified name of the class of PyTorch that it is an instance of; empty for anything else."""
    definition: Node | None = None
    """The file's own class that derives from it."""


NOT_TORCH = Instance("")
_PENDING = Instance("?")
"""A name that is being looked into: ``x = x.view(-1)`` is no evidence of its own."""
_UNKNOWN = Instance("!")
_A_TENSOR = Instance(TENSOR)
_LITERALS = {**dict.fromkeys(LITERAL_TYPES, NOT_TORCH), "none": _PENDING}


class Instances:
    """Answers for one file; every answer is kept."""

    def __init__(self, source: SourceFile, classes: ClassDefinitions | None = None) -> None:
        self._walker = Walker(source, _Certain(), classes)
        self.classes = self._walker.classes

    def of(self, expression: Node) -> Instance | None:
        """What an expression's value is an instance of; None when the file does not prove it."""
        found = self._walker.of(expression)
        return None if found is _PENDING or found is _UNKNOWN else found

    def unfollowed(self, expression: Node) -> tuple[Unfollowed, ...]:
        """Why the class of an expression is not proven: where its way back could not be followed."""
        return self._walker.unfollowed(expression)


class _Certain(Reading[Instance]):
    """What a value is on evidence that leaves no other reading."""

    def __init__(self) -> None:
        self._unfit: dict[tuple[str, int], Node | None] = {}

    unknown = _UNKNOWN
    pending = _PENDING
    literals = _LITERALS
    ways = frozenset(
        {Way.BARE_ANNOTATIONS, Way.BUFFERS, Way.CALLEES, Way.DEFAULTS, Way.RETURNS, Way.UNPACKING}
    )

    # -- names -------------------------------------------------------------------------------------

    def joined(self, values: Iterator[Instance]) -> Instance:
        result = _PENDING
        for instance in values:
            if instance is _PENDING:
                continue
            if instance is _UNKNOWN:
                return _UNKNOWN
            if result is _PENDING or instance == result:
                result = instance
            elif is_tensor(instance.class_name) and is_tensor(result.class_name):
                result = _A_TENSOR  # a parameter, a LongTensor and what is computed from one
            else:
                return _UNKNOWN
        return result

    def self_in(self, owner: Node | None, walk: Walk[Instance], depth: int) -> Instance | None:
        return _of_own_class(owner, walk) if owner is not None else None

    def annotated(self, annotation: Node, walk: Walk[Instance], depth: int) -> Instance | None:
        found = annotated_class(walk.source, annotation)
        if found is not None:
            return Instance(found)
        definition = walk.classes.definition_named(name_in(annotation), annotation)
        return _of_own_class(definition, walk) if definition is not None else None

    def updated(self, binding: Binding) -> Instance | None:
        return _PENDING

    def defined(self, binding: Binding, walk: Walk[Instance], depth: int) -> Instance | None:
        return NOT_TORCH

    def parameter(self, binding: Binding, walk: Walk[Instance]) -> Instance | None:
        function = enclosing(binding.node, "function_definition", "lambda")
        is_of_forward = function is not None and walk.classes.is_forward(function)
        return self._used_as_tensor(binding, walk) if is_of_forward else None

    def _used_as_tensor(self, binding: Binding, walk: Walk[Instance]) -> Instance:
        """A value that is by convention a tensor, if everything that is done with it says so, too."""
        variable = (binding.name, binding.scope.id)
        if variable not in self._unfit:
            self._unfit[variable] = use_of_no_tensor(binding.node, walk.source)
        use = self._unfit[variable]
        return _A_TENSOR if use is None else walk.stopped(Stop.USE, use)

    # -- loops and tuples --------------------------------------------------------------------------

    def counter(self) -> Instance | None:
        return NOT_TORCH

    def yielded(
        self, iterable: Node, place: tuple[int, ...], binding: Binding, walk: Walk[Instance], depth: int
    ) -> Instance | None:
        by_method = _yielded_by_method(iterable, place, walk, depth)
        if by_method is not None:
            return by_method
        found = walk.of(iterable, depth)
        if found.class_name == DATA_LOADER:
            return self._used_as_tensor(binding, walk) if place else None
        return _instance(item_of(found.class_name)) if not place else None

    def unpacked(self, value: Node, walk: Walk[Instance], depth: int) -> Instance | None:
        if value.type != "call":
            return None
        function = field(value, "function")
        name = walk.source.names.name_of(function)
        if name.startswith("torch."):
            return _instance(items_of_tuple(name))
        owner = field(function, "object")
        is_of_tensor = owner is not None and is_tensor(walk.of(owner, depth).class_name)
        return _instance(items_of_tuple(last_name(value))) if is_of_tensor else None

    # -- expressions -------------------------------------------------------------------------------

    def buffer(self) -> Instance | None:
        return _A_TENSOR

    def member(self, owner: Node, name: str, walk: Walk[Instance], depth: int) -> Instance | None:
        receiver = walk.of(owner, depth)
        return _instance(attribute_of(receiver.class_name, name)) if receiver.definition is None else None

    def made_by(self, function: NameResolution, call: Node) -> Instance | None:
        if not function.qualified_name.startswith("torch."):
            return None
        asynchronous = arguments_of(call).keyword("async_op") is not None
        made = instance_made_by(function.qualified_name, is_asynchronous=asynchronous)
        return _instance(made) or _UNKNOWN

    def plain_call(self, function: Node, call: Node, walk: Walk[Instance], depth: int) -> Instance | None:
        """What ``next(model.parameters())`` gives."""
        if text_of(function) != "next":
            return None
        arguments = arguments_of(call).positional
        return _yielded_by_method(arguments[0].value, (), walk, depth) if len(arguments) == 1 else None

    def instance_of(self, definition: Node, walk: Walk[Instance], depth: int) -> Instance | None:
        return _of_own_class(definition, walk)

    def method(self, receiver: Node, name: str, walk: Walk[Instance], depth: int) -> Instance | None:
        found = walk.of(receiver, depth)
        if found is _PENDING:  # after ``x = x.cpu()`` it is what x was; after ``x = x.numpy()`` another thing
            return _PENDING if gives_its_own_class(name) else None
        if found.definition is not None and walk.classes.method(found.definition, name) is not None:
            return None
        if name == "type" and is_tensor(found.class_name):  # without a dtype it gives a text
            call = call_of(parent_of(receiver))
            return _A_TENSOR if call is not None and arguments_of(call).items else NOT_TORCH
        result = result_of_method(found.class_name, name)
        return found if result == found.class_name else _instance(result)

    def applied(self, function: Node, walk: Walk[Instance], depth: int) -> Instance | None:
        """What a layer gives that is called like a function."""
        layer = walk.of(function, depth)
        if layer is _PENDING:  # ``x = x(y)`` is what the layer x gives, not a layer
            return None
        if layer.definition is not None:
            forward = walk.classes.method(layer.definition, "forward")
            return walk.returned(forward, depth) if forward is not None else None
        return _instance(result_of_call(layer.class_name))

    def item(self, holder: Instance, node: Node, walk: Walk[Instance], depth: int) -> Instance | None:
        key = field(node, "subscript")
        is_kept = holder is _PENDING or (key is not None and key.type == "slice" and not holder.definition)
        if is_kept and not is_tensor(holder.class_name) and holder is not _UNKNOWN:
            return holder  # part of a list is a list, part of ``Sequential`` another one
        return _instance(item_of(holder.class_name))

    def truth(self) -> Instance | None:
        return NOT_TORCH

    def operation(self, node: Node, operands: Sequence[Instance]) -> Instance | None:
        """Arithmetic and comparisons with a tensor give a tensor."""
        if any(is_tensor(found.class_name) for found in operands):
            return _A_TENSOR
        if any(found is _PENDING for found in operands):
            return _PENDING  # what ``x`` is decides what ``x = x - y`` makes of it
        return None if any(found is _UNKNOWN for found in operands) else NOT_TORCH


def _instance(class_name: str | None) -> Instance | None:
    return Instance(class_name) if class_name is not None else None


def _of_own_class(definition: Node, walk: Walk[Instance]) -> Instance | None:
    """An instance of a class that the file defines."""
    base = walk.classes.torch_base(definition) if definition.type == "class_definition" else None
    return Instance(base, definition) if base is not None else None


def _yielded_by_method(
    call: Node, place: tuple[int, ...], walk: Walk[Instance], depth: int
) -> Instance | None:
    """What ``model.parameters()`` and the like yield."""
    owner = called_on(call)
    written = last_name(call) if owner is not None else ""
    method = written.removeprefix("named_")
    if owner is None or method not in ("parameters", "buffers", "modules", "children"):
        return None
    receiver = walk.of(owner, depth)
    if not is_module(receiver.class_name) or place != ((1,) if written.startswith("named_") else ()):
        return None
    kinds = {"parameters": "torch.nn.Parameter", "buffers": TENSOR}
    return Instance(kinds.get(method, MODULE))
