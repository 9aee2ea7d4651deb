"""Autocast, GradScaler and the decorators of autograd functions get the type of the device as an argument."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from ...engine.context import Context
from ...limits.parents import parent_of, parent_type
from ...model.finding import Edit
from ...text.syntax import Arguments, arguments_of, call_of, enclosing, field, is_type_test, parts_of, text_of
from .neutral_rule import device_text

FORMS = frozenset({"autocast", "scaler", "decorator"})
"""The forms of the table whose names take the type of the device."""
_AUTOCAST = ("enabled", "dtype", "cache_enabled")
"""Parameters of ``torch.cuda.amp.autocast`` by position; those of ``torch.autocast`` have another order."""
_MAKE = ("__init__", "__new__")


class WithDevice(NamedTuple):
    """What gives one use of a name the type of the device; the name itself is not changed by it."""

    edits: tuple[Edit, ...]
    is_safe: bool
    """Whether the text shows everything that is given."""


def with_device(name: Node, form: str, ctx: Context) -> WithDevice | None:
    """How one use of a name gets the type of the device.

    Args:
        name: The name as it is written, with its module.
        form: One of :data:`FORMS`.
        ctx: The file.

    Returns:
        ``None`` where the use must be changed by hand: it is called elsewhere, or takes arguments whose
        positions the text does not show.
    """
    call = call_of(name)
    if call is None:
        return _without_call(name, form, ctx)
    holder, arguments = field(call, "arguments"), arguments_of(call)
    if holder is None or holder.type != "argument_list":
        return None
    kind, helper = device_text(ctx).type_of_device(name)
    written = parts_of(holder)
    if form == "decorator":
        end = written[-1].end_byte if written else holder.start_byte + 1
        text = f", device_type={kind}" if written else f"device_type={kind}"
        return WithDevice((Edit(end, end, text), *helper), True)
    if form == "autocast" and any(item.type == "list_splat" for item in written):
        return None  # any of the parameters may be among what is unpacked, in another order
    edits = _named(arguments, kind) if form == "autocast" else []
    if not edits:
        start = holder.start_byte + 1
        edits = [Edit(start, start, f"{kind}, " if written else kind)]
    return WithDevice((*edits, *helper), not arguments.unpacked)


def _without_call(name: Node, form: str, ctx: Context) -> WithDevice | None:
    if form == "decorator" and parent_type(name) == "decorator":
        kind, helper = device_text(ctx).type_of_device(name)
        return WithDevice((Edit(name.end_byte, name.end_byte, f"(device_type={kind})"), *helper), True)
    return WithDevice((), False) if _asks_for_class(name) else None


def _asks_for_class(name: Node) -> bool:
    """Whether a use makes no object: an annotation, a test of a class, or what is read of the class."""
    parent = parent_of(name)
    if enclosing(name, "type") is not None:
        return True
    if parent is not None and parent.type == "attribute":
        attribute = field(parent, "attribute")
        return attribute is not None and text_of(attribute) not in _MAKE
    return is_type_test(name)


def _named(arguments: Arguments, kind: str) -> list[Edit]:
    """The type of the device, with the names of the positional arguments; nothing where there are none."""
    edits = [
        Edit(argument.node.start_byte, argument.node.start_byte, f"{name}=")
        for argument, name in zip(arguments.positional, _AUTOCAST, strict=False)
    ]
    if edits:  # an insertion before the first argument is one with the type
        edits[0] = Edit(edits[0].start, edits[0].end, f"{kind}, {edits[0].text}")
    return edits
