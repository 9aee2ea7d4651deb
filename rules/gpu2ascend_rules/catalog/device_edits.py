"""Edits that the rules on device strings share."""

from __future__ import annotations

from tree_sitter import Node

from ..finding import Edit

CUDA = "cuda"
NPU = "npu"


def npu_text(text: str) -> str:
    """A text that names a CUDA device, for the NPU: ``cuda:0`` as ``npu:0``."""
    return NPU + text.removeprefix(CUDA)


def renamed_device(string: Node, offset: int = 0) -> Edit:
    """The edit of the four letters alone, at an offset (in bytes) into a string literal's text."""
    start = next(child.start_byte for child in string.children if child.type == "string_content") + offset
    return Edit(start, start + len(CUDA), NPU)
