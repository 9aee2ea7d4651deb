"""Comparisons of devices: ``device.type == 'cuda'`` as ``device != 'CPU'``.

A device becomes the name of the process's device, which is ``Ascend``, ``GPU`` or ``CPU``: a comparison with
a name of torch would never hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.inference.kinds import Kind
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, field, last_name, text_of, without_parentheses

from ..evidence import Evidence
from ..use import Reason, Use, changed, refused
from ..values.arguments import names_device

_DEVICE = "torch.device"
_ACCELERATORS = frozenset({"cuda", "npu", "gpu"})
_HOLDERS = frozenset({"self", "args", "opt", "opts", "options", "cfg", "config", "conf", "hparams", "FLAGS"})
"""Variables that hold a program's options, and no tensors: their ``device`` is one of the program."""
_OPPOSITE = {"==": "!=", "!=": "=="}
_CONTAINS = frozenset({"in", "not in"})
_SHOWN = {"==": "==", "!=": "!=", "in": "==", "not in": "!="}
"""What asks for one of two devices, as the comparison that is written."""


def uses_of_device_comparisons(evidence: Evidence) -> Iterator[Use]:
    """What becomes of comparisons of a device, and of reads of its type."""
    yield from _uses_of_types(evidence)
    yield from _uses_of_comparisons(evidence)
    for member in scan_members(evidence.source, ["device"]):
        if member.receiver_name is None and text_of(member.receiver) in _HOLDERS:
            evidence.take_care_of(member.node)


def _uses_of_types(evidence: Evidence) -> Iterator[Use]:
    """``x.device.type``, compared or not."""
    for name in evidence.source.identifiers("type"):
        attribute = parent_of(name)
        owner = field(attribute, "object")
        if attribute is None or attribute.type != "attribute" or owner is None or owner.id == name.id:
            continue
        if not _is_device(evidence, owner):
            continue
        evidence.take_care_of(attribute)
        comparison = _comparison(attribute)
        use = _compared(comparison, attribute, owner) if comparison is not None else None
        yield use or refused(f"{_DEVICE}.type", attribute, Reason.DEVICE)


def _uses_of_comparisons(evidence: Evidence) -> Iterator[Use]:
    """``x.device == other``."""
    for comparison, subject in _comparisons(evidence):
        owner = arguments_of(subject).items[0].value if subject.type == "call" else subject
        use = _compared(comparison, subject, owner)
        if use is None and _is_of_identity(comparison):
            continue
        evidence.take_care_of(comparison)
        yield use or refused(_DEVICE, comparison, Reason.DEVICE)


def _is_of_identity(comparison: Node) -> bool:
    """Whether it is asked whether there is a device at all: ``device is not None``."""
    return any(one.type in ("none", "true", "false") for one in comparison.named_children)


def _is_device(evidence: Evidence, node: Node) -> bool:
    """Whether an expression is a device of torch, and no name that the program chose for one."""
    kind = evidence.context.types.kind(node)
    return kind is Kind.DEVICE or (kind is Kind.UNKNOWN and names_device(node))


def _is_text_of_device(evidence: Evidence, node: Node) -> bool:
    if node.type != "call" or last_name(node) != "str" or len(arguments_of(node).items) != 1:
        return False
    return evidence.context.types.kind(arguments_of(node).items[0].value) is Kind.DEVICE


def _comparisons(evidence: Evidence) -> Iterator[tuple[Node, Node]]:
    """Comparisons of something that is certainly a device, each with that."""
    data = evidence.source.data
    if b"torch.device" not in data and b"import device" not in data:
        return
    for node in nodes_in(evidence.source.root):
        if node.type == "comparison_operator" and not evidence.is_taken_care_of(node):
            for part in map(without_parentheses, node.named_children):
                if evidence.context.types.kind(part) is Kind.DEVICE or _is_text_of_device(evidence, part):
                    yield node, part
                    break


def _comparison(node: Node) -> Node | None:
    parent = parent_of(node)
    return parent if parent is not None and parent.type == "comparison_operator" else None


def _compared(comparison: Node, subject: Node, owner: Node) -> Use | None:
    """A comparison with the name of a device, as one with the name that MindSpore has."""
    parts = comparison.named_children
    operators = [text_of(one) for one in comparison.children if not one.is_named]
    if len(parts) != 2 or len(operators) != 1 or owner.type not in ("identifier", "attribute"):
        return None
    text, found = (parts[0], parts[1]) if operators[0] in _CONTAINS else (parts[1], parts[0])
    word = text_of(text).strip("\"'").partition(":")[0]
    shown = _SHOWN.get(operators[0])
    if shown is None or text.type != "string" or without_parentheses(found).id != subject.id:
        return None
    if word not in (*_ACCELERATORS, "cpu"):
        return None
    shown = shown if word == "cpu" else _OPPOSITE[shown]
    new = f"{text_of(owner)} {shown} 'CPU'"
    return changed(_DEVICE, comparison, [Edit(comparison.start_byte, comparison.end_byte, new)])
