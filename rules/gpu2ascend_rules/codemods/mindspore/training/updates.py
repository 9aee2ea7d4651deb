"""Updates in place: ``x += y`` changes a tensor in PyTorch, and gives the name a new one in MindSpore."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....inference.kinds import Kind
from ....text.scopes import BindingKind, reaching
from ....text.syntax import enclosing, field, text_of, without_parentheses
from ..evidence import Evidence
from ..use import Reason, Use, refused

UPDATE = "torch.Tensor.__iadd__"
_SHARED = frozenset({"identifier", "attribute", "subscript"})
_PLAIN = frozenset({Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN, Kind.NONE, Kind.OTHER})


def uses_of_updates(evidence: Evidence) -> Iterator[Use]:
    """The updates of what may be known by another name as well: that one would keep the old value."""
    if b"=" not in evidence.source.data or not evidence.imports:
        return
    stack = [evidence.source.root]
    while stack:
        node = stack.pop()
        stack += node.named_children
        if node.type == "augmented_assignment":
            target = field(node, "left")
            if target is not None and target.type == "identifier" and _may_be_shared(evidence, target):
                yield refused(UPDATE, node, Reason.UPDATE, text_of(target))


def _may_be_shared(evidence: Evidence, target: Node) -> bool:
    """Whether a variable may hold a tensor that has another name: a parameter, or ``y = x``."""
    if evidence.context.types.kind(target) in _PLAIN:
        return False
    bindings = evidence.source.names.bindings_in_scope(text_of(target), target)
    before = [one for one in bindings if one.node.start_byte != target.start_byte]
    for binding in reaching(tuple(before), target) if before else ():
        if binding.kind is BindingKind.PARAMETER:
            if enclosing(target, "class_definition") is not None or evidence.instance(target) is not None:
                return True
        elif binding.value is not None and without_parentheses(binding.value).type in _SHARED:
            return True
    return False
