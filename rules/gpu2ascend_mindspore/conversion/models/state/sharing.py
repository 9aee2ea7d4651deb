"""Parameters that share their values in PyTorch, as they are made of one tensor.

In MindSpore each is a copy.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.engine.events import NameRef
from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import (
    LOOPS,
    ancestors,
    arguments_of,
    called_on,
    encloses,
    field,
    is_field,
    last_name,
    text_of,
)

from ...evidence import ROOTS, Evidence
from ...training.identities import Identity, identity
from ...values.callers import given_by_callers

_MADE_OF = {"torch.nn.Parameter": "data", "torch.nn.Embedding.from_pretrained": "embeddings"}
"""What makes a parameter of given values, without a copy in PyTorch, and the argument that has them."""
_SHARE = frozenset({"torch.from_numpy", "torch.as_tensor"})
_FLAGS = {
    "torch.nn.Parameter": ("requires_grad", "True"),
    "torch.nn.Embedding.from_pretrained": ("freeze", "False"),
}
"""The second argument, which says whether the parameter is trained, and what it is then."""
_TURNS = LOOPS | {"list_comprehension", "generator_expression", "dictionary_comprehension"}
_DEPTH = 3
"""How many functions that hand on a tensor are looked into."""


class _Given(NamedTuple):
    """A tensor that a parameter is made of, where the file names it first."""

    tensor: Identity
    place: Node
    is_trained: bool
    maker: int


def weight_taken(evidence: Evidence, api: str, ref: NameRef) -> Node | None:
    """What a new parameter is made of that another is, or has: in PyTorch the two are one."""
    value = _value(ref, api)
    weight = _tensor_in(evidence, value) if value is not None else None
    if weight is None or ref.call is None:
        return None
    found = evidence.instance(weight) if text_of(weight).startswith("self.") else None
    if found is not None and found.class_name == "torch.nn.Parameter":
        return weight
    shared = evidence.source.once((_shared,), lambda: _shared(evidence))
    return weight if ref.call.start_byte in shared else None


def _value(ref: NameRef, api: str) -> Node | None:
    given = ref.arguments.get(_MADE_OF[api], 0) if ref.call is not None and api in _MADE_OF else None
    return given.value if given is not None else None


def _shared(evidence: Evidence) -> frozenset[int]:
    """Where the calls are that make parameters of a tensor that another has, one of which is trained."""
    by_tensor: dict[Identity, list[_Given]] = {}
    for one in _all_given(evidence):
        by_tensor.setdefault(one.tensor, []).append(one)
    found: set[int] = set()
    for given in by_tensor.values():
        pairs = itertools.combinations(given, 2)
        found |= {
            one.maker
            for pair in pairs
            if any(each.is_trained for each in pair) and not _are_apart(*(each.place for each in pair))
            for one in pair
        }
    return frozenset(found)


def _all_given(evidence: Evidence) -> Iterator[_Given]:
    for ref in scan_names(evidence.source, ROOTS):
        value = _value(ref, ref.name)
        if value is None or ref.call is None:
            continue
        name, trained = _FLAGS[ref.name]
        flag = arguments_of(ref.call).get(name, 1)
        is_trained = text_of(flag.value) == trained if flag is not None else name == "requires_grad"
        is_trained = is_trained or (flag is not None and text_of(flag.value) not in ("True", "False"))
        for source in _sources(evidence, value, _DEPTH):
            tensor = _tensor_in(evidence, source)
            if tensor is not None:
                given = _Given(identity(evidence, tensor), source, is_trained, ref.call.start_byte)
                yield from [given, given] if _is_repeated(evidence, tensor) else [given]


def _sources(evidence: Evidence, value: Node, depth: int) -> Iterator[Node]:
    """What each call of a function gives for a value that is its parameter; else the value itself."""
    tensor = _tensor_in(evidence, value)
    bindings = evidence.reaching(tensor) if tensor is not None and tensor.type == "identifier" else ()
    given = (
        given_by_callers(evidence.source, bindings[0])
        if len(bindings) == 1 and bindings[0].kind is BindingKind.PARAMETER and depth
        else ()
    )
    if not given:
        yield value
    for one in given:
        yield from _sources(evidence, one, depth - 1)


def _tensor_in(evidence: Evidence, value: Node) -> Node | None:
    """The variable whose memory a value has: ``rows`` of ``torch.from_numpy(rows).detach()``."""
    while value.type in ("call", "attribute"):
        inner = called_on(value) if last_name(value) == "detach" and value.type == "call" else None
        if value.type == "attribute" and text_of(value).endswith(".data"):
            inner = field(value, "object")
        if value.type == "call" and evidence.source.names.called_in(value) in _SHARE:
            first = arguments_of(value).at(0)
            inner = first.value if first is not None else None
        if inner is None:
            break
        value = inner
    return value if value.type in ("identifier", "attribute") else None


def _is_repeated(evidence: Evidence, tensor: Node) -> bool:
    """Whether a loop goes over a place that reads a tensor, which it does not make."""
    root = tensor
    while root.type == "attribute":
        root = root.named_children[0]
    loop = next((one for one in ancestors(tensor) if one.type in (*_TURNS, "function_definition")), None)
    bindings = evidence.reaching(root) if root.type == "identifier" else ()
    is_loop = loop is not None and loop.type in _TURNS
    return is_loop and loop is not None and not any(encloses(loop, one.node) for one in bindings)


def _are_apart(first: Node, second: Node) -> bool:
    """Whether two places are in different arms of one ``if``."""
    arms = dict(_arms(first))
    return any(arms.get(choice, arm) != arm for choice, arm in _arms(second))


def _arms(node: Node) -> Iterator[tuple[int, int]]:
    """The choices around a place, and the arm of each that it is in."""
    previous = node
    for one in ancestors(node):
        if one.type in ("if_statement", "conditional_expression") and not is_field(previous, "condition"):
            yield one.id, previous.id
        previous = one
