"""Initial weights: ``nn.init.normal_(m.weight, std=s)`` sets data that an initializer makes.

``m.weight.data.normal_(0, s)`` means the same. Parameters are set in place, so that who shares one sees it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.syntax import call_of, field, text_of

from ...correspondences.binding import Unbound, bind
from ...correspondences.call_edits import edits_of
from ...correspondences.rendering import Piece, Slot
from ...correspondences.signature import read_signature
from ...correspondences.values import Refused
from ..evidence import ROOTS, Evidence
from ..use import Reason, Use, changed, refused
from .attributes import name_of
from .layers import ATTRIBUTES, Layers, last_part

INIT = "torch.nn.init."
_SIGNATURES: Mapping[str, str] = {
    "normal_": "tensor, mean=0.0, std=1.0",
    "uniform_": "tensor, a=0.0, b=1.0",
    "constant_": "tensor, val",
    "zeros_": "tensor",
    "ones_": "tensor",
    "xavier_normal_": "tensor, gain=1.0",
    "xavier_uniform_": "tensor, gain=1.0",
    "kaiming_normal_": "tensor, a=0, mode='fan_in', nonlinearity='leaky_relu'",
    "kaiming_uniform_": "tensor, a=0, mode='fan_in', nonlinearity='leaky_relu'",
    "orthogonal_": "tensor, gain=1",
    "trunc_normal_": "tensor, mean=0.0, std=1.0, a=-2.0, b=2.0",
}
_METHODS: Mapping[str, tuple[str, str]] = {
    "normal_": ("normal_", "tensor, mean=0.0, std=1.0"),
    "uniform_": ("uniform_", "tensor, from_=0.0, to=1.0"),
    "zero_": ("zeros_", "tensor"),
    "fill_": ("constant_", "tensor, value"),
}
"""Methods in place, and the function that each means; parameters are by position."""
_INITIALIZERS: Mapping[str, tuple[str, Sequence[str]]] = {
    "normal_": ("Normal", ("mean=", "sigma=")),
    "constant_": ("Constant", ("",)),
    "zeros_": ("'zeros'", ()),
    "ones_": ("'ones'", ()),
    "xavier_normal_": ("XavierNormal", ("gain=",)),
    "xavier_uniform_": ("XavierUniform", ("gain=",)),
    "kaiming_normal_": ("HeNormal", ("negative_slope=", "mode=", "nonlinearity=")),
    "kaiming_uniform_": ("HeUniform", ("negative_slope=", "mode=", "nonlinearity=")),
    "orthogonal_": ("Orthogonal", ("gain=",)),
}
"""The class that makes such weights, and what it calls the parameters behind the tensor."""
_DEFAULTS_DIFFER = frozenset({"Normal"})


def uses_of_initialisation(evidence: Evidence) -> Iterator[Use]:
    """What becomes of the calls that set the values of parameters."""
    layers = Layers(evidence)
    for ref in scan_names(evidence.source, ROOTS):
        if not ref.name.startswith(INIT) or ref.call is None:
            continue
        name = ref.name.removeprefix(INIT)
        name = name if name.endswith("_") else f"{name}_"
        if name in _SIGNATURES:
            evidence.take_care_of(ref.node)
            yield _initialised(evidence, layers, ref.call, name, _SIGNATURES[name], None)
    for method, (name, signature) in _METHODS.items():
        for identifier in evidence.source.identifiers(method):
            function = parent_of(identifier)
            call = call_of(function) if function is not None and function.type == "attribute" else None
            tensor = _parameter(function) if call is not None and function is not None else None
            if call is not None and function is not None and tensor is not None:
                evidence.take_care_of(function)
                yield _initialised(evidence, layers, call, name, signature, tensor)


def _parameter(method: Node) -> Node | None:
    """The parameter whose values a method changes; None where it is not certain that it is one."""
    owner = field(method, "object")
    if owner is not None and owner.type == "attribute" and last_part(owner) == "data":
        owner = field(owner, "object")
    elif owner is None or last_part(owner) not in ATTRIBUTES:
        return None
    return owner if owner is not None and owner.type in ("identifier", "attribute") else None


def _initialised(
    evidence: Evidence, layers: Layers, call: Node, name: str, signature: str, receiver: Node | None
) -> Use:
    api = f"{INIT}{name}"
    if parent_type(call) != "expression_statement":
        return refused(api, call, Reason.RECEIVER)
    bound = bind(read_signature(signature), call, receiver, evidence.is_of_kind)
    if isinstance(bound, Unbound):
        return refused(api, call, Reason.ARGUMENTS)
    tensor = bound.one("tensor")
    target = _target(evidence, layers, tensor) if tensor is not None else None
    if tensor is None or target is None:
        return refused(api, call, Reason.RECEIVER)
    values = [bound.one(one.name) for one in read_signature(signature).parameters[1:]]
    try:
        pieces, needs = _pieces(name, target, values)
        edits = edits_of(call, [f"{target}.set_data(", *pieces, ")"])
    except Refused:
        return refused(api, call, Reason.LAYOUT)
    evidence.take_care_of(tensor)
    return changed(api, call, edits, needs)


def _target(evidence: Evidence, layers: Layers, tensor: Node) -> str | None:
    """The text of a parameter; None where it is not certain what it is called."""
    if tensor.type == "identifier":
        return text_of(tensor)
    if tensor.type != "attribute":
        return None
    owner, name = field(tensor, "object"), last_part(tensor)
    if name == "data":
        return _target(evidence, layers, owner) if owner is not None else None
    if name not in ATTRIBUTES:
        return text_of(tensor)
    new = name_of(evidence, layers, tensor)
    return f"{text_of(owner)}.{new}" if owner is not None and new is not None else None


def _pieces(name: str, target: str, values: Sequence[Node | None]) -> tuple[list[Piece], frozenset[str]]:
    """The data that a parameter is set to, and the names that its text needs.
    Raises Refused: bounds that are not numbers are needed more than once."""
    if name == "uniform_":
        return _uniform(target, values)
    behind = f", {target}.shape, {target}.dtype)"
    if name == "trunc_normal_":
        return ["initializer(", *_truncated(values), behind], frozenset({"initializer", "TruncatedNormal"})
    maker, parameters = _INITIALIZERS[name]
    pieces: list[Piece] = [f"initializer({maker}"]
    if parameters:
        pieces.append("(")
        given = [(one, value) for one, value in zip(parameters, values, strict=True)]
        defaults = {"mean=": "0.0", "sigma=": "1.0"} if maker in _DEFAULTS_DIFFER else {}
        written = [
            (one, Slot(value) if value is not None else defaults[one])
            for one, value in given
            if value is not None or one in defaults
        ]
        for index, (parameter, value) in enumerate(sorted(written, key=_place)):
            pieces += [f"{', ' if index else ''}{parameter}", value]
        pieces.append(")")
    pieces.append(behind)
    return pieces, frozenset({"initializer", maker} if maker[0] != "'" else {"initializer"})


def _place(written: tuple[str, Piece]) -> int:
    return written[1].node.start_byte if isinstance(written[1], Slot) else 0


def _uniform(target: str, values: Sequence[Node | None]) -> tuple[list[Piece], frozenset[str]]:
    low, high = values
    if low is not None and high is not None and text_of(low) == f"-{text_of(high)}":
        head = "initializer(Uniform("
        return [head, Slot(high), f"), {target}.shape, {target}.dtype)"], frozenset(
            {"initializer", "Uniform"}
        )
    pieces: list[Piece] = [f"ops.uniform({target}.shape, Tensor("]
    pieces += [Slot(low) if low is not None else "0.0", ", ms.float32), Tensor("]
    pieces += [Slot(high) if high is not None else "1.0", ", ms.float32))"]
    return pieces, frozenset({"ops", "Tensor", "ms"})


def _truncated(values: Sequence[Node | None]) -> list[Piece]:
    """Bounds are distances from the mean there, in standard deviations.
    Raises Refused: the values are not all given as plain text that may stand twice."""
    if any(value is not None and any(True for _ in _calls_in(value)) for value in values):
        raise Refused("argument")
    texts = [text_of(one) if one is not None else None for one in values]
    middle, width = texts[0] or "0.0", texts[1] or "1.0"
    bounds = [_bound(texts[2] or "-2.0", middle, width), _bound(texts[3] or "2.0", middle, width)]
    pieces: list[Piece] = [f"TruncatedNormal(mean={middle}, sigma={width}, a={bounds[0]}, b={bounds[1]})"]
    return pieces


def _bound(bound: str, mean: str, std: str) -> str:
    distance = bound if mean in ("0", "0.0", "0.") else f"({bound} - {mean})"
    return distance if std in ("1", "1.0", "1.") else f"{distance} / {std}"


def _calls_in(node: Node) -> Iterator[Node]:
    return (one for one in nodes_in(node) if one.type in ("call", "binary_operator", "comment"))
