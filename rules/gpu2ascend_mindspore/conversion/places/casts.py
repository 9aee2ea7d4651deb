"""Casts to a class of tensors: ``x.type(torch.FloatTensor)`` as ``x.astype(ms.float32)``.

Types of Python are types of tensors in PyTorch, too: ``torch.ones(3, dtype=bool)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, call_of, enclosing, field, is_field, text_of

from ..evidence import Evidence
from ..use import Use, changed
from ..values.legacy_types import DTYPES, cast_to

_TYPE = "torch.Tensor.type"
_OF_PYTHON = {"bool": "bool_", "int": "int64", "float": "float64"}


def uses_of_casts(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each cast: nothing but a tensor is given such a class."""
    if not evidence.imports:
        return
    for ref in scan_members(evidence.source, ["type"]):
        call, name = call_of(ref.node), field(ref.node, "attribute")
        kind = cast_to(evidence.source, call) if call is not None else ""
        if call is None or name is None or not kind:
            continue
        given = arguments_of(call).items[0].value
        evidence.take_care_of(call, but=ref.receiver)
        edits = [
            Edit(name.start_byte, name.end_byte, "astype"),
            Edit(given.start_byte, given.end_byte, f"ms.{DTYPES[kind]}"),
        ]
        yield changed(_TYPE, call, edits, {"ms"})
    yield from _of_python(evidence)


def _of_python(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each type of Python that a function of torch is given as a type."""
    for kind, new in _OF_PYTHON.items():
        for name in evidence.source.identifiers(kind):
            argument = parent_of(name)
            if argument is None or argument.type != "keyword_argument" or is_field(name, "name"):
                continue
            call = enclosing(argument, "call")
            function = field(call, "function")
            is_dtype = text_of(field(argument, "name")) == "dtype" and not evidence.source.names.bindings(
                kind
            )
            if function is None or not is_dtype or not _is_of_torch(evidence, function):
                continue
            evidence.take_care_of(name)
            edit = Edit(name.start_byte, name.end_byte, f"ms.{new}")
            yield changed("torch.dtype", name, [edit], {"ms"})


def _is_of_torch(evidence: Evidence, function: Node) -> bool:
    """Whether a function is one of torch, or a method of a tensor."""
    owner = field(function, "object")
    name = evidence.source.names.name_of(function)
    return name.startswith("torch.") or (owner is not None and evidence.is_of_kind(owner, "tensor"))
