"""``torch.cuda`` of a ``torch`` that the file does not show to be PyTorch, and the code that depends on it.

A parameter ``torch``, a ``torch`` that another library passes on, ``self.torch``: nothing below them is
renamed, so what such a name decides over, and what decides over it, has to stay with it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from ..limits.parents import parent_of
from ..text.dynamic.dynamic_imports import TORCH, is_called_import
from ..text.source_file import SourceFile
from ..text.syntax import (
    OWN_SCOPES,
    ancestors,
    attributes_behind,
    call_of,
    chain_of,
    field,
    is_field,
    leaves_block,
    parts_of,
    same,
    text_of,
)
from ..text.uses import values_of_attribute
from .walk.reading import LITERAL_TYPES

_NAMES = frozenset({TORCH, "_torch", "torch_", "pytorch", "_pytorch", "torch_module", "torch_lib", "th"})
_LITERALS = frozenset(LITERAL_TYPES) - {"none"}
_MOST_NAMES = 2
"""Variables or functions through which an answer is followed."""
_TESTING = frozenset({"if_statement", "while_statement", "elif_clause"})
_JOINING = frozenset({"boolean_operator", "not_operator", "comparison_operator"})
_KEEPING = _JOINING | {"call", "parenthesized_expression"}


Span = tuple[int, int]
"""Two byte offsets."""


class UnknownUse(NamedTuple):
    """A use of a name below the ``cuda`` of such an object."""

    node: Node
    """The dotted expression: ``self.torch.cuda.synchronize``."""
    name: Node
    """The word ``cuda`` in it."""
    receiver: Node
    """What may be torch: ``self.torch``."""
    api: str
    """What it is if that is torch: ``torch.cuda.synchronize``."""
    governed: tuple[Span, ...]
    """The code that it decides over, the conditions that decide over it, and what it is given."""


class UnknownTorch:
    """Such uses of a file."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source

    @cached_property
    def uses(self) -> tuple[UnknownUse, ...]:
        """In text order. The module that ``sys.modules`` gives counts as unknown."""
        return tuple(_unknown_uses(self._source))

    def governs(self, place: int) -> bool:
        """Whether such a use decides over what begins at an offset, depends on it, or is given it."""
        index = bisect_right(self._governed, (place, len(self._source.data) + 1))
        return index > 0 and place < self._governed[index - 1][1]

    @cached_property
    def _governed(self) -> list[Span]:
        """The governed parts of the file, sorted and joined where they overlap."""
        joined: list[Span] = []
        for start, end in sorted(span for use in self.uses for span in use.governed):
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return joined


def _unknown_uses(source: SourceFile) -> Iterator[UnknownUse]:
    if not (source.has_attribute("cuda") and source.has(TORCH.encode())):
        return
    for identifier in source.identifiers("cuda"):
        node = parent_of(identifier)
        receiver = field(node, "object") if node is not None and is_field(identifier, "attribute") else None
        if node is None or receiver is None or call_of(node) is not None or _is_written(node):
            continue
        if _may_be_torch(receiver, source):
            last, names = attributes_behind(node)
            api = ".".join(("torch.cuda", *names))
            yield UnknownUse(last, identifier, receiver, api, tuple(_governed(last, source)))


def _is_written(attribute: Node) -> bool:
    parent = parent_of(attribute)
    return parent is not None and parent.type == "assignment" and same(field(parent, "left"), attribute)


# -- whether it may be torch -----------------------------------------------------------------------


def _may_be_torch(receiver: Node, source: SourceFile) -> bool:
    """Whether an expression may be the module, and is not known to be it."""
    found = source.names.qualified_name(receiver)
    if found is not None and found.qualified_name == TORCH:
        return False
    if found is not None and found.binding is not None and found.qualified_name.endswith(f".{TORCH}"):
        return True
    chain = chain_of(receiver)
    if chain is None:
        return _is_by_text(receiver)
    if (chain.attributes[-1] if chain.attributes else text_of(chain.root)) in _NAMES:
        return not _is_other(receiver, source)
    return any(_is_torch(value, source) or _is_by_text(value) for value in _values(receiver, source))


def _is_other(receiver: Node, source: SourceFile) -> bool:
    """Whether a variable is given nothing but numbers, texts and the like, or has a short name and is given
    nothing at all."""
    if receiver.type != "identifier":
        return False
    values = [binding.value for binding in source.names.bindings_in_scope(text_of(receiver), receiver)]
    if not values:
        return text_of(receiver) != TORCH
    return all(value is not None and value.type in _LITERALS for value in values)


def _values(receiver: Node, source: SourceFile) -> Iterator[Node]:
    """What a variable is given, a parameter by default, or ``self.name`` in the methods of its class."""
    if receiver.type == "identifier":
        bindings = source.names.bindings_in_scope(text_of(receiver), receiver)
        yield from (binding.value for binding in bindings if binding.value is not None)
        return
    if text_of(field(receiver, "object")) == "self":
        yield from values_of_attribute(receiver, source)


def _is_torch(value: Node, source: SourceFile) -> bool:
    return source.names.name_of(value) == TORCH or is_called_import(value)


def _is_by_text(value: Node) -> bool:
    """``sys.modules["torch"]``, and a call that imports it."""
    key, owner = field(value, "subscript"), field(value, "value")
    if value.type != "subscript" or key is None or owner is None:
        return is_called_import(value)
    return text_of(owner).rpartition(".")[2] == "modules" and text_of(key)[1:-1] == TORCH


# -- what depends on it ----------------------------------------------------------------------------


def _governed(use: Node, source: SourceFile, depth: int = 0) -> Iterator[Span]:
    """The parts of the file that depend on an expression, also by a variable or a function that keeps it."""
    given = field(call_of(use), "arguments") if not depth else None
    if given is not None:
        yield _span(given)
    child, is_value = use, True
    for parent in ancestors(use):
        if is_value and depth < _MOST_NAMES:
            for read in _reads_of(child, parent, source):
                yield from _governed(read, source, depth + 1)
        if parent.type in OWN_SCOPES:
            return
        if parent.type in _JOINING or parent.type == "conditional_expression":
            yield from _of_expression(child, parent)
        elif parent.type in _TESTING:
            yield from _of_statement(child, parent)
        is_value = is_value and parent.type in _KEEPING
        child = parent


def _reads_of_result(statement: Node, source: SourceFile) -> Iterator[Node]:
    function = next((item for item in ancestors(statement) if item.type in OWN_SCOPES), None)
    name = field(function, "name")
    if name is not None and function is not None and function.type == "function_definition":
        yield from source.names.readers(text_of(name), source.names.scope_of(function))


def _reads_of(value: Node, holder: Node, source: SourceFile) -> Iterator[Node]:
    """The expressions that give an answer that a variable, ``self.name`` or a function keeps."""
    if holder.type == "return_statement":
        yield from _reads_of_result(holder, source)
        return
    target = field(holder, "left") if holder.type == "assignment" and is_field(value, "right") else None
    if target is not None and target.type == "identifier":
        yield from source.names.readers(text_of(target), source.names.scope_of(target))
    elif target is not None and text_of(target).startswith("self."):
        name = field(target, "attribute")
        for identifier in source.identifiers(text_of(name)) if name is not None else ():
            read = parent_of(identifier)
            if read is not None and text_of(read) == text_of(target) and not _is_written(read):
                yield read


def _span(node: Node) -> Span:
    return node.start_byte, node.end_byte


def _of_expression(child: Node, parent: Node) -> Iterator[Span]:
    parts = parts_of(parent)
    if parent.type != "conditional_expression" or (len(parts) == 3 and same(parts[1], child)):
        yield _span(parent)
    elif len(parts) == 3:
        yield _span(parts[1])


def _of_statement(child: Node, statement: Node) -> Iterator[Span]:
    """A test decides over its branches, and over what follows where one of them leaves."""
    condition = field(statement, "condition")
    if condition is None:
        return
    if not same(condition, child):
        yield _span(condition)
        return
    whole = parent_of(statement) if statement.type == "elif_clause" else statement
    block = parent_of(whole)
    if whole is None or block is None:
        return
    leaves = leaves_block(field(statement, "consequence"))
    yield whole.start_byte, block.end_byte if leaves else whole.end_byte
