"""From two texts to the edits between them, by whole tokens."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from ..model.finding import Edit

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]", re.UNICODE)


def token_edits(before: str, after: str, start: int) -> tuple[Edit, ...]:
    """The smallest edits by whole tokens from one text to another that begins at byte ``start``."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    offsets = [start]
    for token in old:
        offsets.append(offsets[-1] + len(token.encode("utf-8", "surrogatepass")))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(offsets[i1], offsets[i2], "".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )
