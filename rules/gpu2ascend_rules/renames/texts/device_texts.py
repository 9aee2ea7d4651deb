"""Edits that the rules on device strings share."""

from __future__ import annotations

from tree_sitter import Node

from ...engine.context import Context
from ...model.finding import Edit, Message
from ...text.syntax import text_of
from .literals import word_becomes

CUDA = "cuda"
NPU = "npu"

NAMES_THE_NPU = Message.of("fix.names_the_npu")
"""The title of a fix that says ``npu`` where a bare number was given."""


def npu_text(text: str) -> str:
    """A text that names a CUDA device, for the NPU: ``cuda:0`` as ``npu:0``."""
    return NPU + text.removeprefix(CUDA)


def renamed_device(string: Node, offset: int = 0) -> list[Edit]:
    """The edit of the four letters alone, the first from a character of a string literal's text on."""
    return word_becomes(string, CUDA, NPU, offset) or []


def ordinal_or_device(value: Node, ctx: Context) -> list[Edit]:
    """The edits for a name that holds the number of a device in some cases, and a device in others."""
    opening, closing = ordinal_as_device(value, ctx)
    name = text_of(value)
    return [opening, closing._replace(text=f"{closing.text} if isinstance({name}, int) else {name}")]


def ordinal_as_device(value: Node, ctx: Context) -> list[Edit]:
    """The edits that put ``torch.device('npu', ...)`` around the number of a device."""
    device = f"{ctx.spell('torch.device')}({ctx.quoted(NPU, value)}, "
    return [Edit(value.start_byte, value.start_byte, device), Edit(value.end_byte, value.end_byte, ")")]
