"""Whether a file puts ``-inf`` into what a loss may get: of that, losses of MindSpore make ``nan``."""

from __future__ import annotations

import re

_PUT = re.compile(
    rb"""(?:\b(?:masked_fill|where|full|full_like|fill|fill_diagonal)_?\([^;]{0,150}?|\][ \t]*=[ \t]*)"""
    rb"""(?:-[ \t]*(?:\w+\.|float\([ \t]*['"])*inf\b|float\([ \t]*['"]-inf)"""
)
_SHARES = re.compile(rb"(?<!log_)softmax\(")
_NEAR = 400
"""How far behind a mask its shares are computed, as in attention."""


def masks_logits(data: bytes) -> bool:
    """Whether ``-inf`` is put into a tensor of which no shares are computed soon after, as attention does."""
    return any(
        _SHARES.search(data, found.end(), found.end() + _NEAR) is None for found in _PUT.finditer(data)
    )
