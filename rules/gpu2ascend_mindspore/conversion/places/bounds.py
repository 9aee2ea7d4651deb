"""Bounds of slices that NumPy computed: MindSpore takes numbers of Python there, and raises for others."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.inference.walk.targets import drawn_by
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.syntax import field
from gpu2ascend_rules.text.uses import assigned_value

from ..evidence import Evidence
from ..use import Use, changed
from ..values.kept import unpacked_by

_ITEM = "torch.Tensor.__getitem__"
_NUMPY, _DRAWN = "numpy.", "numpy.random."
_DEPTH = 3
"""How many names of one value are followed."""


def uses_of_bounds(evidence: Evidence) -> Iterator[Use]:
    """The slices of tensors whose bounds are made numbers of Python."""
    if not evidence.imports or b"numpy" not in evidence.source.data:
        return
    for part in (one for one in nodes_in(evidence.source.root) if one.type == "subscript"):
        bounds = _bounds(evidence, part)
        whole = field(part, "value")
        if bounds and whole is not None and evidence.is_of_kind(whole, "tensor"):
            yield changed(_ITEM, part, [edit for one in bounds for edit in _as_number(one)])


def _bounds(evidence: Evidence, part: Node) -> list[Node]:
    slices = (one for one in part.children_by_field_name("subscript") if one.type == "slice")
    return [one for each in slices for one in each.named_children if _reads_numpy(evidence, one)]


def _reads_numpy(evidence: Evidence, bound: Node) -> bool:
    return any(one.type == "identifier" and _is_of_numpy(evidence, one) for one in nodes_in(bound))


def _as_number(bound: Node) -> tuple[Edit, Edit]:
    return Edit(bound.start_byte, bound.start_byte, "int("), Edit(bound.end_byte, bound.end_byte, ")")


def _is_of_numpy(evidence: Evidence, name: Node, depth: int = _DEPTH) -> bool:
    """Whether a variable gets what a function of NumPy gives, also as one of what a function returns."""
    for binding in evidence.reaching(name) if depth else ():
        for value in _values(evidence, binding):
            called = evidence.source.names.called_in(value) or ""
            if called.startswith(_NUMPY) and not called.startswith(_DRAWN):
                return True
            holder = field(value, "value") if value.type == "subscript" else value
            if (
                holder is not None
                and holder.type == "identifier"
                and _is_of_numpy(evidence, holder, depth - 1)
            ):
                return True
    return False


def _values(evidence: Evidence, binding: Binding) -> list[Node]:
    """What gives a variable its value: also the array that a loop draws it from."""
    drawn = drawn_by(binding) if binding.kind is BindingKind.LOOP else None
    if drawn is not None:
        return [drawn.iterable] if drawn.iterable is not None and not drawn.place else []
    value = assigned_value(binding)
    return unpacked_by(evidence.context, binding, None) or ([value] if value is not None else [])
