"""What makes shapes dynamic as far as the text of a file shows it, without running it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...flow.names.uses import is_assigned
from ...limits.below import nodes_in
from ...model.finding import Finding, Message, Severity
from ...text.names import Certainty
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, field, last_name, text_of, without_parentheses

CODE = "DYN001"
HINT_KIND = "dynamic_shape"
"""The kind of these findings, by which an analysis asks for them."""
_LOADER = "torch.utils.data.DataLoader"
_BY_VALUES = frozenset({"nonzero", "masked_select", "unique", "unique_consecutive", "argwhere", "bincount"})
_METHODS = _BY_VALUES - {"unique"}
"""What no other library has; ``unique`` is a method of arrays and frames, too."""
_PADDED = frozenset({"pad_sequence", "pack_padded_sequence", "pad_packed_sequence"})
_RESIZED = frozenset({"torch.nn.functional.interpolate", "torch.nn.functional.upsample"})
_RANDOM = ("random.", "numpy.random.", "torch.randint", "torch.randperm")
WORDS = (b"torch",)


def dynamic_hints(source: SourceFile) -> Iterator[Finding]:
    """A hint for each place, in the order of the text."""
    if not any(word in source.data for word in WORDS):
        return
    for node in nodes_in(source.root):
        key = _of_call(source, node) if node.type == "call" else None
        if node.type == "subscript":
            key = _of_index(source, node)
        if key is not None:
            api = text_of(field(node, "function") or node)
            message = Message.of(f"{CODE}.{key}", api=api if len(api) <= 60 else f"{api[:59]}…")
            yield Finding(CODE, node.start_byte, node.end_byte, message, Severity.HINT, kind=HINT_KIND)


def _of_call(source: SourceFile, call: Node) -> str | None:
    name, last = _qualified(source, call), last_name(call)
    if name == _LOADER:
        return _of_loader(call)
    if name is not None and name.startswith("torch.") and last in _PADDED:
        return "padded"
    if name in _RESIZED:
        return "resized" if _has_changing_size(source, call) else None
    if name is not None and name.endswith(("ops.nms", "ops.batched_nms")):
        return "values"
    is_by_values = _is_method(call) and last in _METHODS if name is None else last in _BY_VALUES
    if not is_by_values or (name is not None and not name.startswith("torch.")):
        return None
    return None if arguments_of(call).keyword("minlength") is not None else "values"


def _of_loader(call: Node) -> str | None:
    """A loader that trains, and gives a smaller batch at the end of an epoch."""
    given = arguments_of(call)
    if given.unpacked or given.keyword("batch_sampler") is not None:
        return None
    size, last = given.get("batch_size", 1), given.get("drop_last", 8)
    shuffle = given.get("shuffle", 2)
    trains = shuffle is not None and text_of(shuffle.value) == "True"
    trains = trains or given.keyword("sampler") is not None
    is_single = size is None or text_of(size.value) == "1"
    is_kept = last is None or text_of(last.value) == "False"
    return "tail" if trains and is_kept and not is_single else None


def _has_changing_size(source: SourceFile, call: Node) -> bool:
    """Whether the size is drawn, or read from a tensor's values; other tensors' shapes are as they are."""
    size = arguments_of(call).get("size", 1) or arguments_of(call).get("scale_factor", 2)
    if size is None:
        return False
    for node in nodes_in(_assigned(source, size.value)):
        if node.type == "call":
            name = _qualified(source, node) or ""
            if name.startswith(_RANDOM) or last_name(node) == "item":
                return True
    return False


def _of_index(source: SourceFile, node: Node) -> str | None:
    """``x[mask]`` with a mask that is written out or was made by a comparison: read, not assigned to."""
    indices = node.children_by_field_name("subscript")
    if len(indices) != 1 or is_assigned(node):
        return None
    inner = without_parentheses(_assigned(source, indices[0]))
    if inner.type == "unary_operator" and text_of(inner).startswith("~"):
        inner = without_parentheses(_assigned(source, inner.named_children[-1]))
    if inner.type != "comparison_operator" or not _is_of_tensors(inner):
        return None
    return "mask"


def _is_of_tensors(comparison: Node) -> bool:
    """Whether a comparison may be of tensors: by value, and of no text, None or plain number alone."""
    operators = {child.type for child in comparison.children if not child.is_named}
    if operators & {"in", "not in", "is", "is not"}:
        return False
    return not any(part.type in ("string", "none") for part in comparison.named_children)


def _is_method(call: Node) -> bool:
    function = field(call, "function")
    return function is not None and function.type == "attribute"


def _assigned(source: SourceFile, value: Node) -> Node:
    """What a name was given, if that is one thing."""
    if value.type != "identifier":
        return value
    bindings = source.names.bindings_in_scope(text_of(value), value)
    found = [item.value for item in bindings if item.value is not None]
    return found[0] if len(found) == len(bindings) == 1 else value


def _qualified(source: SourceFile, call: Node) -> str | None:
    function = field(call, "function")
    found = source.names.qualified_name(function) if function is not None else None
    if found is None or found.certainty is not Certainty.CERTAIN:
        return None
    return found.qualified_name
