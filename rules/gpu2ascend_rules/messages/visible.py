"""Text from a project as text that may be shown: what would act on the reader's screen is written out.

File names, identifiers and strings of a project are chosen by its author. A control character among them
moves the cursor of a terminal, a bidirectional one reverses what follows, an invisible one makes two names
look alike.
"""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the direction of what follows
    "\u200b\u2060-\u2064\ufeff\ufff9-\ufffb"  # no width, no shape
    "\u2028\u2029"  # ends of lines
    "\ud800-\udfff"  # half characters, and bytes as os.fsdecode keeps them
    "]"
)


def visible(text: str, keep: str = "") -> str:
    """The text with every character that is not seen written as ``\\xNN`` or ``\\uNNNN``.

    Args:
        text: Any text; lone surrogates may be in it, of which the result has none.
        keep: Characters that stay, such as ``\\n`` in a text of several lines.
    """
    return _UNSEEN.sub(lambda match: match[0] if match[0] in keep else _written(ord(match[0])), text)


def _written(point: int) -> str:
    if 0xDC80 <= point <= 0xDCFF:
        point -= 0xDC00
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"
