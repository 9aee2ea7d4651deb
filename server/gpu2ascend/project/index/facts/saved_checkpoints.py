"""The items of checkpoints that a file saves with the options of its program, found by pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAMES = rb"(?:args|opts?|options|cfg|config|hparams|flags)"
_HELD = re.compile(
    rb"""["']%b["'][ \t]*:[ \t]*(?:[A-Za-z_]\w{0,60}\.)?%b(?=[ \t]*(?:,|\}|#|\r?$))""" % (_NAMES, _NAMES),
    re.MULTILINE,
)
"""``'args': args``: the options as they are, and not a dictionary of them."""
_KEY = re.compile(rb"""(?:(?<=\{)|(?<=,)|^)\s*["'](\w{1,60})["'][ \t]*:""", re.M)
_STATE = b"state_dict()"
_LONGEST = 2000
"""Bytes of a dictionary on each side of the options."""


def saved_checkpoints(data: bytes) -> tuple[str, ...]:
    """``saved:args,epoch,model`` of a dictionary that holds states and the options themselves, each once."""
    if b"torch.save(" not in data or _STATE not in data:
        return ()
    return tuple(dict.fromkeys(_found(data)))


def _found(data: bytes) -> Iterator[str]:
    for held in _HELD.finditer(data):
        start = data.rfind(b"{", max(held.start() - _LONGEST, 0), held.start())
        end = data.find(b"}", held.end(), held.end() + _LONGEST)
        written = data[start : end + 1] if start >= 0 and end >= 0 else b""
        if _STATE in written:
            yield f"saved:{','.join(sorted({key.decode() for key in _KEY.findall(written)}))}"
