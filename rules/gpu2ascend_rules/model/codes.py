"""Patterns of codes, as ``--select``, ``--severity`` and ignore comments name rules."""

from __future__ import annotations

import re
from functools import lru_cache

_BEGINNING = re.compile(r"NPU(\d+)$")
_FREE = re.compile(r"NPU(\d*)(X+)$")
_SHORT = 3
"""Digits of the codes of rules for Python; those of other kinds of file have one more."""


@lru_cache(maxsize=65536)
def matched_length(pattern: str, code: str) -> int:
    """How many characters of a code a pattern fixes, so that the more specific one is known; -1: no match.

    ``NPU10`` begins codes of three digits alone, those of rules for Python. An ``x`` is any digit, and then
    the pattern is as long as the code: ``NPU10xx``. Otherwise a pattern is the beginning of a code.
    """
    pattern = pattern.upper()
    free = _FREE.match(pattern)
    if free is not None:
        fixed = f"NPU{free[1]}"
        return len(fixed) if len(code) == len(pattern) and code.startswith(fixed) else -1
    digits = _BEGINNING.match(pattern)
    number = _BEGINNING.match(code)
    if digits is not None and number is not None and len(digits[1]) <= _SHORT < len(number[1]):
        return -1
    return len(pattern) if code.startswith(pattern) else -1
