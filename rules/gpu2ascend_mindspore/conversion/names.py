"""Dotted names below torch, called or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from tree_sitter import Node

from gpu2ascend_rules.engine.events import NameRef
from gpu2ascend_rules.engine.scan import narrowed, scan_names
from gpu2ascend_rules.facts.api_support import other_names
from gpu2ascend_rules.facts.releases.canonical import public_name
from gpu2ascend_rules.inference.classes.torch_classes import is_class
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.names import Certainty
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import call_of, field, text_of

from .evidence import EINOPS, ROOTS, Evidence
from .models.handing import Handing
from .models.state.sharing import weight_taken
from .table import is_annotation, use_of, use_of_alias
from .use import Reason, Use, changed, refused

_OF_PROCESSES = (
    "torch.distributed.", "torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.distributed.",
    "torch.multiprocessing.spawn",
)  # fmt: skip


_TYPES: Mapping[str, str] = {
    **{
        f"torch.{name}Tensor": "Tensor"
        for name in ("Float", "Double", "Half", "BFloat16", "Byte", "Char", "Short", "Int", "Long", "Bool")
    },
    "torch.optim.Optimizer": "optim.Optimizer",
    "torch.optim.optimizer.Optimizer": "optim.Optimizer",
}
"""Classes in annotations: tensors are of one class there."""


def _span(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def uses_of_names(evidence: Evidence) -> Iterator[Use]:
    """What becomes of every dotted name below torch."""
    names = _Names(evidence)
    for ref in scan_names(evidence.source, ROOTS | EINOPS):
        if not evidence.is_taken_care_of(ref.node):
            use = names.use_of(ref)
            if use is not None:
                yield use


class _Names:
    """What becomes of names, with what the file hands on, which is only looked for where one is converted."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    @cached_property
    def _handing(self) -> Handing:
        return Handing(self._evidence)

    def use_of(self, ref: NameRef) -> Use | None:
        """None of a name that stays what it is."""
        if ref.name.startswith(_OF_PROCESSES) and not self._evidence.context.options.distributed:
            return refused(ref.name, ref.call or ref.node, Reason.PROCESSES)
        if ref.call is None and ref.name in _TYPES and is_annotation(ref.node):
            root, edit = _TYPES[ref.name].partition(".")[0], Edit(*_span(ref.node), _TYPES[ref.name])
            return changed(ref.name, ref.node, [edit], {root})
        found = _listed(self._evidence, ref)
        if found is None or _is_member_of_class(ref, found):
            return refused(ref.name, ref.call or ref.node, Reason.NO_TARGET)
        return self._use_of_api(ref, found.name, found.node)

    def _use_of_api(self, ref: NameRef, api: str, node: Node) -> Use | None:
        evidence, handing = self._evidence, self._handing
        has_helper = any(one.is_of_helper for one in evidence.entries.get(api, ()))
        if handing.positions(api) > 1 and not has_helper:
            return refused(api, node, Reason.CLASS)
        if ref.binding is not None and ref.binding.kind is BindingKind.ASSIGNMENT:
            return use_of_alias(evidence, api, node, call_of(node), handing.words)
        if ref.certainty is Certainty.AMBIGUOUS:
            return refused(api, node, Reason.AMBIGUOUS)
        shared = weight_taken(evidence, api, ref)
        if shared is not None:
            return refused(api, ref.call or node, Reason.SHARED, text_of(shared))
        return use_of(evidence, api, node, call_of(node), None, handing)


def _listed(evidence: Evidence, ref: NameRef) -> NameRef | None:
    """The reference cut to the longest name that the table has, under the name that the table has for it.

    A class of tensors is the same on every device.
    """
    for count in range(ref.name.count(".") + 1, 1, -1):
        cut = narrowed(ref, count)
        name = _OF_CUDA.sub("torch.", cut.name) if cut is not None else ""
        known = next((one for one in (public_name(name), *other_names(name)) if one in evidence.entries), "")
        if cut is not None and known:
            return cut._replace(name=known)
    return None


def _is_member_of_class(ref: NameRef, found: NameRef) -> bool:
    """Whether a reference names a method of a class, of which the table has the class alone."""
    member = text_of(field(parent_of(found.node), "attribute")) if found.node.id != ref.node.id else ""
    return is_class(found.name) and bool(member) and not member.startswith("__")


_OF_CUDA = re.compile(r"^torch\.cuda\.(?=\w*Tensor$)")
