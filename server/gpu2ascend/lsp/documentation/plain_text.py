"""Markdown for clients that show text as it is."""

from __future__ import annotations

import re

from ...texts.escaping import unescaped

_MARKUP = re.compile(r"\*\*(.+?)\*\*|`([^`\n]+)`|^#+ ", re.M)
_LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")


def plain_text(markdown: str) -> str:
    """The text without its markup; the address of a link follows its name."""
    linked = _LINK.sub(r"\1: \2", markdown)
    plain = _MARKUP.sub(lambda match: match[1] or match[2] or "", linked)
    return unescaped(plain)
