"""Modules become cells: ``forward`` is ``construct``, and each call of it by name."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import ancestors, enclosing, field, is_field, text_of

from ..evidence import Evidence
from ..use import Reason, Use, changed, refused
from ..values.functions import is_function

FORWARD = "torch.nn.Module.forward"
_FORWARD, _CONSTRUCT = "forward", "construct"


def uses_of_forward(evidence: Evidence) -> Iterator[Use]:
    """What becomes of the definitions of ``forward`` and of what names it."""
    for identifier in evidence.source.identifiers(_FORWARD):
        function = parent_of(identifier)
        if function is not None and function.type == "function_definition":
            yield from _definition(evidence, function, identifier)
    for ref in scan_members(evidence.source, [_FORWARD]):
        if ref.receiver_name is not None:
            continue
        name = field(ref.node, "attribute")
        assert name is not None
        if _is_super(ref.receiver) or evidence.is_module(ref.receiver):
            yield changed(FORWARD, ref.node, [_renamed(name)])
        elif evidence.instance(ref.receiver) is None and not _is_of_no_module(evidence, ref.receiver):
            yield refused(FORWARD, ref.node, Reason.RECEIVER)


def _definition(evidence: Evidence, function: Node, name: Node) -> Iterator[Use]:
    owner = enclosing(function, "class_definition", "function_definition")
    if owner is None or owner.type != "class_definition" or is_function(evidence.source, owner):
        return
    base = evidence.context.instances.classes.torch_base(owner)
    if base is None and not _stands_alone(evidence, owner):
        yield refused(FORWARD, name, Reason.BASE)
    elif base is not None and is_module(base):
        parameters = field(function, "parameters")
        first = parameters.named_children[0] if parameters is not None and parameters.named_children else None
        if text_of(first) != "self":
            yield refused(FORWARD, name, Reason.ARGUMENTS)
        else:
            yield changed(FORWARD, name, [_renamed(name)])


def _is_of_no_module(evidence: Evidence, receiver: Node) -> bool:
    """Whether it is ``self`` in a class that is no module."""
    owner = enclosing(receiver, "class_definition") if text_of(receiver) == "self" else None
    return owner is not None and _stands_alone(evidence, owner)


def _stands_alone(evidence: Evidence, owner: Node) -> bool:
    """Whether a class makes its own objects and is no part of a module: it, the classes of the file that it
    derives from and those that derive from it have no other bases."""
    pending: list[Node | None] = [owner]
    family: dict[int, Node] = {}
    while pending:
        one = pending.pop()
        if one is None or one.type != "class_definition":
            return False
        if one.id not in family:
            family[one.id] = one
            pending += [*_bases_of(evidence, one), *_derived_from(evidence, text_of(field(one, "name")))]
    methods = [each for one in family.values() for each in (field(one, "body") or one).named_children]
    return any(text_of(field(one, "name")) == "__init__" for one in methods)


def _bases_of(evidence: Evidence, owner: Node) -> Iterator[Node | None]:
    """The classes that a class derives from; None for one that is not in the file and may be a module."""
    bases = field(owner, "superclasses")
    for base in bases.named_children if bases is not None else ():
        found = evidence.source.names.qualified_name(base)
        if text_of(base) not in _PLAIN and (found is None or found.qualified_name not in _PLAIN):
            yield evidence.context.instances.classes.definition_of(base)


_PLAIN = frozenset({"object", "abc.ABC", "metaclass=abc.ABCMeta", "metaclass=ABCMeta"})


def _derived_from(evidence: Evidence, name: str) -> list[Node | None]:
    """The classes that derive from one; None for some under a name that the file gives it: ``kind = A``."""
    names, seen, found = [name], set[str](), list[Node | None]()
    while names:
        one = names.pop()
        if one in seen:
            continue
        seen.add(one)
        for use in evidence.source.identifiers(one):
            if is_field(use, "function"):
                continue
            around = list(
                itertools.takewhile(lambda each: not each.type.endswith("statement"), ancestors(use))
            )
            if any(is_field(each, "superclasses") for each in around):
                found.append(enclosing(use, "class_definition") if one == name else None)
            given = next((field(each, "left") for each in around if each.type == "assignment"), None)
            names += [text_of(given)] if given is not None and given.id != use.id else []
    return found


def _renamed(name: Node) -> Edit:
    return Edit(name.start_byte, name.end_byte, _CONSTRUCT)


def _is_super(receiver: Node) -> bool:
    function = field(receiver, "function") if receiver.type == "call" else None
    return text_of(function) == "super"
