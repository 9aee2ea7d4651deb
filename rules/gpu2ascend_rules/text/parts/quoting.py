"""How a text is written within another one."""

from __future__ import annotations

import enum
import json
import re


class Quoting(enum.Enum):
    """What a text stands in."""

    RAW = "raw"
    """Nothing: a cell, a here-document whose end is quoted."""
    HERE = "here"
    """A here-document in which the shell replaces variables."""
    SINGLE = "single"
    """``'...'`` of a shell."""
    DOUBLE = "double"
    """``"..."`` of a shell."""
    ANSI = "ansi"
    """``$'...'`` of a shell."""
    BARE = "bare"
    """A word of a shell without quotes."""
    LIST = "list"
    """``"..."`` of JSON."""


_TO_ESCAPE = {
    Quoting.RAW: None,
    Quoting.HERE: re.compile(r"[\\$`]"),
    Quoting.DOUBLE: re.compile(r"[\\$`\"]"),
    Quoting.BARE: re.compile(r"[^\w./:=,@%+-]", re.ASCII),
}


def written(text: str, quoting: Quoting) -> str | None:
    """A text as it is written there; ``None`` if it cannot be."""
    if quoting is Quoting.LIST:
        return json.dumps(text, ensure_ascii=False)[1:-1]
    if quoting is Quoting.SINGLE:
        return text.replace("'", "'\\''")
    if quoting is Quoting.BARE and re.search(r"[\r\n]", text):
        return None
    if quoting is Quoting.ANSI:
        return re.sub(r"[\\']", r"\\\g<0>", text).replace("\r", "\\r").replace("\n", "\\n")
    pattern = _TO_ESCAPE[quoting]
    return text if pattern is None else pattern.sub(lambda match: f"\\{match[0]}", text)
