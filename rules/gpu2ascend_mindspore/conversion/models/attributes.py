"""Weights of layers by their names: ``bn.weight`` is ``bn.gamma``, ``embedding.weight`` its table."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import call_of, field

from ..evidence import Evidence
from ..use import Reason, Use, changed, refused
from .layers import ATTRIBUTES, Layers, last_part

_OF_LAYERS = "torch.nn.Module."
_SETTINGS = frozenset({"args", "cfg", "conf", "config", "hparams", "opt", "options", "params", "settings"})
"""What settings are called: their ``bias`` is a flag."""
_WITHOUT_WEIGHTS = b"affine=False"


def uses_of_attributes(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each weight that is named by the layer that has it."""
    layers = Layers(evidence)
    for ref in scan_members(evidence.source, ATTRIBUTES):
        if ref.receiver_name is not None or call_of(ref.node) is not None:
            continue
        if evidence.is_taken_care_of(ref.node) or _is_setting(ref.receiver):
            continue
        name = field(ref.node, "attribute")
        assert name is not None
        new = name_of(evidence, layers, ref.node)
        if new is None:
            yield refused(f"{_OF_LAYERS}{ref.name}", ref.node, Reason.RECEIVER)
        elif new != ref.name:
            edit = Edit(name.start_byte, name.end_byte, new)
            yield changed(f"{_OF_LAYERS}{ref.name}", ref.node, [edit])


def name_of(evidence: Evidence, layers: Layers, node: Node) -> str | None:
    """What an attribute of a layer is called; None where it is not known which layer that is.

    A norm without weights has none in torch, and some that stay as they are in MindSpore.
    """
    owner, name = field(node, "object"), last_part(node)
    found = layers.attributes(owner) if owner is not None else None
    if found is None:
        return None
    new = found.get(name, name) if not evidence.writes_mint else name
    return None if new in ("gamma", "beta") and _WITHOUT_WEIGHTS in evidence.source.data else new


def _is_setting(receiver: Node) -> bool:
    return last_part(receiver) in _SETTINGS
