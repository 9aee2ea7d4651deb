"""Dotted names below torch, called or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from gpu2ascend_rules.engine.events import NameRef
from gpu2ascend_rules.engine.scan import narrowed, scan_names
from gpu2ascend_rules.facts.releases.canonical import public_name
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.names import Certainty
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import call_of

from .evidence import EINOPS, ROOTS, Evidence
from .models.handing import Handing
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
    handing: Handing | None = None
    for ref in scan_names(evidence.source, ROOTS | EINOPS):
        if evidence.is_taken_care_of(ref.node):
            continue
        if ref.name.startswith(_OF_PROCESSES) and not evidence.context.options.distributed:
            yield refused(ref.name, ref.call or ref.node, Reason.PROCESSES)
            continue
        if ref.call is None and ref.name in _TYPES and is_annotation(ref.node):
            root, edit = _TYPES[ref.name].partition(".")[0], Edit(*_span(ref.node), _TYPES[ref.name])
            yield changed(ref.name, ref.node, [edit], {root})
            continue
        found = _listed(evidence, ref)
        if found is None:
            yield refused(ref.name, ref.call or ref.node, Reason.NO_TARGET)
            continue
        api, call = _listed_name(found.name), call_of(found.node)
        handing = handing or Handing(evidence)
        has_helper = any(one.is_of_helper for one in evidence.entries.get(api, ()))
        if handing.positions(api) > 1 and not has_helper:
            yield refused(api, found.node, Reason.CLASS)
        elif ref.binding is not None and ref.binding.kind is BindingKind.ASSIGNMENT:
            alias = use_of_alias(evidence, api, found.node, call, handing.words)
            if alias is not None:
                yield alias
        elif ref.certainty is Certainty.AMBIGUOUS:
            yield refused(api, found.node, Reason.AMBIGUOUS)
        else:
            yield use_of(evidence, api, found.node, call, None, handing)


def _listed(evidence: Evidence, ref: NameRef) -> NameRef | None:
    """The reference cut to the longest name that the table has."""
    for count in range(ref.name.count(".") + 1, 1, -1):
        cut = narrowed(ref, count)
        if cut is not None and _listed_name(cut.name) in evidence.entries:
            return cut
    return None


def _listed_name(name: str) -> str:
    """The name that the table has: a class of tensors is the same on every device."""
    return public_name(_OF_CUDA.sub("torch.", name))


_OF_CUDA = re.compile(r"^torch\.cuda\.(?=\w*Tensor$)")
