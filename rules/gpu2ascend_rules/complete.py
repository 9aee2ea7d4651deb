"""What may be typed at a place: names below torch_npu that the version has, and the NPU's device strings.

Half a line does not parse, so what comes before the place is read as text; the names in it are resolved by
the imports of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .facts import Facts
from .text.source_file import SourceFile

_ATTRIBUTE = re.compile(r"(?<![\w.])([^\W\d]\w*(?:\s*\.\s*\w+)*)\s*\.\s*(\w*)$")
_FROM_IMPORT = re.compile(r"^\s*from\s+([\w.]+)\s+import\s+\(?\s*(?:\w+(?:\s+as\s+\w+)?\s*,\s*)*(\w*)$")
_IMPORT = re.compile(r"^\s*(?:import|from)\s+(?:[\w.]+\s*,\s*)*([\w.]+)\.(\w*)$")
_CALL = re.compile(
    r"(\.\s*)?(?<!\w)((?:[^\W\d]\w*\s*\.\s*)*[^\W\d]\w*)\s*\(\s*(?:device\s*=\s*)?(['\"]?)([\w:]*)$"
)
_REACH = 1_000
"""Characters before the place that are looked at."""
_MOVE = "to"
_DEVICE = "torch.device"
DEVICES = ("npu", "npu:0")


class Suggestion(NamedTuple):
    """A text that may be at a place."""

    text: str
    kind: str
    """``module``, ``class``, ``function``, ``method``, ``attribute`` or ``device``."""
    qualified_name: str
    """Empty for a device."""
    start: int
    end: int
    """Byte offsets of what it replaces: the part that was typed already."""


def suggestions(source: SourceFile, offset: int, facts: Facts) -> tuple[Suggestion, ...]:
    """What may be at a byte offset; nothing where it is neither a name below torch_npu nor a device."""
    line = source.lines.line_of(offset)
    before = source.slice(source.lines.line_start(line), offset)[-_REACH:]
    if _is_inert(source, offset):
        return tuple(_devices(source, before, offset)) if _opens_string(before) else ()
    return (*_names(source, before, offset, facts), *_devices(source, before, offset))


def _is_inert(source: SourceFile, offset: int) -> bool:
    """Whether the place is within a comment or a string."""
    node = source.root.descendant_for_byte_range(max(0, offset - 1), offset)
    return node is not None and node.type in ("comment", "string_content", "string_start", "string_end")


def _opens_string(before: str) -> bool:
    match = _CALL.search(before)
    return match is not None and bool(match[3])


def _names(source: SourceFile, before: str, offset: int, facts: Facts) -> Iterator[Suggestion]:
    match = _FROM_IMPORT.search(before) or _IMPORT.search(before)
    module = match[1] if match is not None else None
    if match is None:
        match = _ATTRIBUTE.search(before)
        module = _qualified(source, match[1]) if match is not None else None
    if match is None or module is None or module.partition(".")[0] not in ("torch_npu", "torch"):
        return
    typed = match[2]
    start = offset - len(typed.encode())
    for name in facts.npu_names(module):
        if name.startswith(typed) and (typed or not name.startswith("_")):
            full = f"{module}.{name}"
            yield Suggestion(name, facts.npu_kind(full) or "attribute", full, start, offset)


def _qualified(source: SourceFile, dotted: str) -> str:
    """What a dotted name means by the imports of the file, or itself."""
    first, *rest = (part.strip() for part in dotted.split("."))
    targets = {item.target for item in source.names.imports if item.name == first}
    if len(targets) == 1:
        first = targets.pop()
    return ".".join((first, *rest))


def _devices(source: SourceFile, before: str, offset: int) -> Iterator[Suggestion]:
    match = _CALL.search(before)
    if match is None or not _takes_device(source, match):
        return
    quote, typed = match[3], match[4]
    if typed and not quote:
        return
    start = offset - len(typed)
    closing = quote and source.data[offset : offset + 1] != quote.encode()
    for device in DEVICES:
        if device.startswith(typed):
            text = f'"{device}"' if not quote else device + (quote if closing else "")
            yield Suggestion(text, "device", "", start, offset)


def _takes_device(source: SourceFile, match: re.Match[str]) -> bool:
    """Whether a call is one of ``torch.device`` or of a method ``to``."""
    called = match[2]
    if called.rpartition(".")[2].strip() == _MOVE:
        return "." in called or match[1] is not None
    return match[1] is None and _qualified(source, called) == _DEVICE
