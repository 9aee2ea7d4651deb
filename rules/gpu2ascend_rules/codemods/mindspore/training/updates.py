"""Updates in place: ``x += y`` changes a tensor in PyTorch, and gives the name a new one in MindSpore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from ....inference.kinds import Kind
from ....model.finding import Edit
from ....text.scopes import Binding, BindingKind
from ....text.syntax import arguments_of, enclosing, field, is_field, text_of, without_parentheses
from ....text.uses import uses_of_variable
from ..evidence import Evidence
from ..use import Reason, Use, changed, refused
from .variables import filled_by

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
        filled = filled_by(node)
        if filled is not None:
            yield from _filled(evidence, node, filled)
        if node.type == "augmented_assignment":
            target = field(node, "left")
            if target is not None and target.type == "identifier" and _may_be_shared(evidence, target):
                yield refused(UPDATE, node, Reason.UPDATE, text_of(target))


def _filled(evidence: Evidence, statement: Node, name: Node) -> Iterator[Use]:
    """``label.fill_(1)`` as an assignment of a new tensor, where no other name has the old one."""
    call = statement.named_children[0]
    value = arguments_of(call).at(0)
    bindings = evidence.source.names.bindings_in_scope(text_of(name), name)
    values = [one.value for one in bindings]
    made = bool(values) and all(one is not None and _is_new(evidence, one) for one in values)
    copied = any(is_field(use, "right") for use in uses_of_variable(name, evidence.source))
    if value is None or len(arguments_of(call).items) != 1 or not made or copied:
        return
    evidence.take_care_of(call)
    before = Edit(
        call.start_byte, value.value.start_byte, f"{text_of(name)} = ops.full_like({text_of(name)}, "
    )
    yield changed("torch.Tensor.fill_", call, [before], {"ops"})


def new_tensors(evidence: Evidence, statements: Sequence[Node]) -> set[str]:
    """The variables to which statements give tensors that have just been made, and nothing else."""
    found: dict[str, bool] = {}
    for statement in statements:
        assignment = statement.named_children[0] if statement.named_children else statement
        target = field(assignment, "left") if assignment.type == "assignment" else None
        value = field(assignment, "right") if target is not None else None
        if target is not None and value is not None and target.type == "identifier":
            name = text_of(target)
            found[name] = found.get(name, True) and _is_new(evidence, value)
    return {name for name, is_new in found.items() if is_new}


def _is_new(evidence: Evidence, value: Node) -> bool:
    """Whether a value is a tensor that a function of torch has just made."""
    function = field(value, "function") if value.type == "call" else None
    found = evidence.source.names.qualified_name(function) if function is not None else None
    return found is not None and found.qualified_name in _MAKERS


_MAKERS = frozenset(
    f"torch.{name}" for name in ("full", "zeros", "ones", "empty", "rand", "randn", "full_like")
)


def _may_be_shared(evidence: Evidence, target: Node) -> bool:
    """Whether a variable may hold a tensor that has another name: a parameter, or ``y = x``."""
    if not evidence.is_ever_bound(target, _may_share) or evidence.context.types.kind(target) in _PLAIN:
        return False
    for binding in evidence.reaching(target, but=target.start_byte):
        if binding.kind is BindingKind.PARAMETER:
            if enclosing(target, "class_definition") is not None or evidence.instance(target) is not None:
                return True
        elif _may_share(binding):
            return True
    return False


def _may_share(binding: Binding) -> bool:
    """Whether a binding may give a variable what has another name as well."""
    if binding.kind is BindingKind.PARAMETER:
        return True
    return binding.value is not None and without_parentheses(binding.value).type in _SHARED
