"""What layers were made with: ``fc.in_features`` is ``fc.in_channels`` of a cell.

A cell made its operators of its settings once: to set another, as ``norm.momentum = 0.01``, would change
nothing there, without an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, call_of, field, is_assigned, text_of

from ..evidence import Evidence
from ..use import Reason, Use, changed, refused
from .layers import UNKNOWN, Layers, calls, conditions, last_part, value_of

_NN = "torch.nn."


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


_OF_CONVOLUTIONS = {**_same("in_channels", "out_channels"), "groups": "group"}
_OF_RECURRENT = _same("hidden_size", "num_layers", "bidirectional", "batch_first")
_READ: Mapping[str, Mapping[str, str]] = {
    f"{_NN}Linear": {"in_features": "in_channels", "out_features": "out_channels"},
    f"{_NN}Embedding": {"num_embeddings": "vocab_size", "embedding_dim": "embedding_size"},
    f"{_NN}Conv1d": _OF_CONVOLUTIONS,
    **{f"{_NN}Conv{n}d": _OF_CONVOLUTIONS | _same("kernel_size", "stride", "dilation") for n in (2, 3)},
    **{f"{_NN}BatchNorm{n}d": _same("num_features", "eps") for n in (1, 2, 3)},
    **{f"{_NN}InstanceNorm{n}d": _same("num_features", "eps", "momentum") for n in (1, 2, 3)},
    f"{_NN}GroupNorm": _same("num_groups", "num_channels", "eps"),
    f"{_NN}LayerNorm": {**_same("normalized_shape"), "eps": "epsilon"},
    **{f"{_NN}{name}": _OF_RECURRENT for name in ("RNN", "LSTM", "GRU")},
    **{f"{_NN}{name}": _same("input_size", "hidden_size") for name in ("RNNCell", "LSTMCell", "GRUCell")},
    f"{_NN}Dropout": _same("p"),
    f"{_NN}MultiheadAttention": _same("embed_dim", "num_heads", "head_dim", "batch_first"),
}
"""What the attributes are called there that hold the same, by class."""
_ONLY_OF = {name: kind for kind in (f"{_NN}Linear", f"{_NN}Embedding") for name in _READ[kind]}
"""Settings that no other layers have."""
_SETTINGS = frozenset(
    {
        "batch_first", "bidirectional", "dilation", "dropout", "embed_dim", "embedding_dim", "eps", "groups",
        "head_dim", "hidden_size", "in_channels", "in_features", "input_size", "kernel_size", "momentum",
        "negative_slope", "normalized_shape", "num_channels", "num_embeddings", "num_features", "num_groups",
        "num_heads", "num_layers", "out_channels", "out_features", "output_padding", "p", "padding",
        "padding_idx", "padding_mode", "stride", "track_running_stats",
    }
)  # fmt: skip


def uses_of_settings(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each setting of what is certainly a layer of torch."""
    layers = Layers(evidence)
    for ref in scan_members(evidence.source, _SETTINGS):
        name = field(ref.node, "attribute")
        if name is None or ref.receiver_name is not None or call_of(ref.node) is not None:
            continue
        kinds = [] if evidence.is_taken_care_of(ref.node) else _kinds(evidence, layers, ref.receiver)
        kinds = kinds or _of_part(evidence, ref.name, ref.receiver)
        if not kinds or evidence.writes_mint:
            continue
        api = f"{kinds[0]}.{ref.name}"
        new = {_READ.get(kind, {}).get(ref.name, "") for kind in kinds}
        if is_assigned(ref.node) or len(new) > 1 or "" in new:
            yield refused(api, ref.node, Reason.SETTING, text_of(ref.receiver))
        elif new != {ref.name}:
            yield changed(api, ref.node, [Edit(name.start_byte, name.end_byte, new.pop())])


def _kinds(evidence: Evidence, layers: Layers, owner: Node) -> list[str]:
    """The classes of torch that a layer may be of; none where it may be anything else."""
    tested = _tested(layers, owner)
    if tested:
        return tested
    found = evidence.instance(owner)
    if found is not None and found.class_name not in UNKNOWN:
        is_layer = found.definition is None and found.class_name.startswith(_NN)
        return [found.class_name] if is_layer else []
    if owner.type != "attribute" or (found is not None and found.definition is not None):
        return []
    values = [value_of(one) for one in evidence.source.identifiers(last_part(owner))]
    return _of_all(layers, [field(one, "function") or one for one in values if one is not None])


def _of_part(evidence: Evidence, name: str, owner: Node) -> list[str]:
    """The class of one part of a sequence of modules, by a setting: ``net.classifier[6].in_features``."""
    value = field(owner, "value") if owner.type == "subscript" else None
    found = evidence.instance(value) if value is not None and name in _ONLY_OF else None
    is_sequence = found is not None and found.class_name in UNKNOWN and found.definition is None
    return [_ONLY_OF[name]] if is_sequence else []


def _tested(layers: Layers, owner: Node) -> list[str]:
    """The classes that a condition says: ``if isinstance(m, (nn.Conv2d, nn.Linear))``."""
    for condition in conditions(owner):
        for call in calls(condition):
            given = arguments_of(call)
            subject, wanted = given.at(0), given.at(1)
            if text_of(field(call, "function")) != "isinstance" or wanted is None or subject is None:
                continue
            if text_of(subject.value) == text_of(owner):
                one = wanted.value
                return _of_all(layers, one.named_children if one.type == "tuple" else [one])
    return []


def _of_all(layers: Layers, classes: list[Node]) -> list[str]:
    """The classes that expressions name; none where one of them is unknown."""
    every = [layers.classes(one) for one in classes]
    found = [name for names in every for name in names]
    return found if all(every) and all(one.startswith(_NN) for one in found) else []
