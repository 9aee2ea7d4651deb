"""Images of torchvision: what has the same arguments in the helper file of the project.

A dataset of MindSpore is no sequence of samples, has labels of another type and other folders; its transforms
give arrays, and other results on arrays than on images of PIL. So a class of the same name does what
torchvision's does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.events import NameRef
from gpu2ascend_rules.engine.scan import narrowed, scan_names
from gpu2ascend_rules.limits.parents import parent_type
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.similar.assemble import stand_ins
from gpu2ascend_rules.text.names import Certainty
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import Argument, arguments_of, text_of

from ...helpers import MINDSPORE
from ..evidence import VISION, Evidence
from ..use import Reason, Use, changed, helped, refused

_INNER = re.compile(
    r"torchvision\.(?:(transforms)\.(?:transforms|functional)\.(?=InterpolationMode\b|[A-Z])"
    r"|(datasets)\.(?:mnist|cifar|folder|vision)\.(?=[A-Z]))"
)
"""The modules that the packages take their classes from."""
_OF_PIL = frozenset(
    {"Resize", "RandomResizedCrop", "RandomRotation", "ColorJitter", "Grayscale", "RandomGrayscale"}
)
"""Transforms that take images of PIL only: of tensors torchvision makes others than of those."""
_TO_TENSOR = frozenset({"ToTensor", "PILToTensor"})


def uses_of_vision(evidence: Evidence) -> Iterator[Use]:
    """What becomes of every name below ``torchvision``."""
    for ref in scan_names(evidence.source, VISION):
        yield _use(evidence, ref)


def _use(evidence: Evidence, ref: NameRef) -> Use:
    found = _listed(ref)
    if found is None:
        return refused(_public(ref.name), ref.call or ref.node, Reason.LIBRARY)
    api, call = _public(found.name), found.call
    if found.certainty is Certainty.AMBIGUOUS:
        return refused(api, found.node, Reason.AMBIGUOUS)
    if found.binding is not None and found.binding.kind is BindingKind.ASSIGNMENT:
        return refused(api, found.node, Reason.CLASS)
    name = api.rpartition(".")[2]
    wrong = _without_counterpart(evidence, name, call) if call is not None else None
    if wrong is not None:
        return refused(api, call or found.node, *wrong)
    edits = [Edit(found.node.start_byte, found.node.end_byte, f"{MINDSPORE.module}.{name}")]
    return helped(api, changed(api, call if call is not None else found.node, edits))


def _public(name: str) -> str:
    return _INNER.sub(lambda found: f"torchvision.{found[1] or found[2]}.", name)


def _listed(ref: NameRef) -> NameRef | None:
    """The reference cut to the longest name that something stands for."""
    for count in range(ref.name.count(".") + 1, 1, -1):
        cut = narrowed(ref, count)
        if cut is not None and _public(cut.name) in stand_ins(MINDSPORE):
            return cut
    return None


def _without_counterpart(evidence: Evidence, name: str, call: Node) -> tuple[Reason, str] | None:
    """What a transform, or a chain of them, does otherwise than torchvision's."""
    if name == "Normalize":
        inplace = arguments_of(call).get("inplace", 2)
        is_in_chain = parent_type(call) in ("list", "tuple")
        if inplace is not None and text_of(inplace.value) != "False" and not is_in_chain:
            return Reason.ARGUMENT, "inplace"
    if name == "Compose":
        late = _behind_tensor(evidence, arguments_of(call).get("transforms", 0))
        if late:
            return Reason.BY_HAND, f"Compose([..., {late}(...), ToTensor(), ...])"
    return None


def _behind_tensor(evidence: Evidence, chain: Argument | None) -> str:
    """The first transform of images of PIL that a chain has behind one that makes a tensor."""
    is_tensor = False
    for one in chain.value.named_children if chain is not None and chain.value.type == "list" else ():
        function = one.child_by_field_name("function") if one.type == "call" else None
        found = evidence.source.names.qualified_name(function) if function is not None else None
        name = _public(found.qualified_name) if found is not None else ""
        last = name.rpartition(".")[2]
        if name.startswith("torchvision.transforms."):
            if is_tensor and last in _OF_PIL:
                return last
            is_tensor = (is_tensor or last in _TO_TENSOR) and last != "ToPILImage"
    return ""
