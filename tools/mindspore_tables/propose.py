"""Entries that may hold, from pairs of names and the signatures of both sides; :mod:`prove` decides."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mindspore

from gpu2ascend_mindspore.correspondences.signature import Parameter, Signature, read_signature

from .signatures import signatures

Row = dict[str, str]
_METHOD = "torch.Tensor."
_WITHOUT_MEANING = (
    "inplace",
    "out",
    "layout",
    "device",
    "requires_grad",
    "pin_memory",
    "memory_format",
    "async_error",
)
_DROPPED = frozenset({"inplace", "layout", "device", "pin_memory", "memory_format"})
_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "dim": ("dim", "axis"), "dims": ("dims", "axis", "axes"), "keepdim": ("keepdim", "keepdims", "keep_dims"),
    "input": ("input", "x", "input_x", "self", "logits", "inputs"), "other": ("other", "y"),
    "tensors": ("tensors",), "p": ("p", "ord"), "chunks": ("chunks",), "negative_slope": ("alpha",),
    "target": ("target", "labels", "label"), "groups": ("groups", "group"), "bias": ("bias", "has_bias"),
    "eps": ("eps", "epsilon"), "lambd": ("lambd",), "num_classes": ("num_classes", "depth"),
    "split_size_or_sections": ("split_size_or_sections",), "shape": ("shape", "input_shape"),
}  # fmt: skip


def proposals(api: str, targets: Sequence[str]) -> Iterator[list[Row]]:
    """For one API, sets of rows that may be its entries, the likeliest first."""
    for text in signatures(api):
        signature = read_signature(text)
        for target in _targets(api, targets):
            for names in _name_choices(target):
                template = _template(api, signature, target, names)
                if template is not None:
                    dropped = " ".join(one.name for one in signature.parameters if one.name in _DROPPED)
                    yield [
                        {"api": api, "parameters": text, "target": template, "dropped": dropped,
                         "since": "", "verified": "no", "note": ""}
                    ]  # fmt: skip


def _targets(api: str, listed: Sequence[str]) -> list[str]:
    name = api.rpartition(".")[2]
    found = [one.removeprefix("mindspore.") for one in listed if one.startswith("mindspore.")]
    if api.startswith(_METHOD):
        found = [f"Tensor.{name}", f"ops.{name}", *found]
    elif api.startswith("torch.nn.") and name[:1].isupper():
        found = [*found, f"nn.{name}"]
    else:
        found = [*found, f"ops.{name}", f"Tensor.{name}"]
    usable = [
        one
        for one in dict.fromkeys(found)
        if one.partition(".")[0] in ("ops", "nn", "Tensor") and _exists(one)
    ]
    order = ("nn", "Tensor", "ops") if api.startswith(_METHOD) else ("nn", "ops", "Tensor")
    return sorted(usable, key=lambda one: order.index(one.partition(".")[0]))


def _exists(target: str) -> bool:
    value: Any = mindspore
    for name in target.split("."):
        value = getattr(value, name, None)
        if value is None:
            return False
    return True


def _name_choices(target: str) -> list[frozenset[str] | None]:
    """The parameter names that a target may have; None for those of torch."""
    value: Any = mindspore
    for name in target.split("."):
        value = getattr(value, name)
    try:
        return [frozenset(inspect.signature(value).parameters)]
    except (TypeError, ValueError):
        return [None, frozenset({"axis", "keepdims", "keep_dims"})]


def _template(api: str, signature: Signature, target: str, names: frozenset[str] | None) -> str | None:
    parameters = [one for one in signature.parameters if one.name not in _WITHOUT_MEANING]
    family, _, name = target.partition(".")
    if any(one.collects for one in parameters):
        return None
    if family == "Tensor":
        if not parameters or not parameters[0].by_position:
            return None
        callee, parameters = f"{parameters[0].name}.{name}", parameters[1:]
    else:
        callee = target
    written: list[str] = []
    by_position = True
    for parameter in parameters:
        by_position = by_position and parameter.default is None and parameter.by_position
        other = _other_name(parameter, names)
        if by_position:
            written.append(parameter.name)
        elif other is not None:
            written.append(f"{other}={parameter.name}")
    if name in _PROPERTIES:
        return callee
    return f"{callee}({', '.join(written)})"


_PROPERTIES = frozenset(
    {"T", "mT", "H", "mH", "ndim", "shape", "dtype", "real", "imag", "is_cuda", "nbytes", "itemsize"}
)


def _other_name(parameter: Parameter, names: frozenset[str] | None) -> str | None:
    if names is None:
        return parameter.name
    for name in (parameter.name, *_SYNONYMS.get(parameter.name, ())):
        if name in names:
            return name
    return parameter.name if names <= {"axis", "keepdims", "keep_dims"} else None
