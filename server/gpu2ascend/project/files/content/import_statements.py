"""The import statements of a Python file, found by pattern: one search for all who ask about a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_STATEMENT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,9999}\)|(?:[^\n\\]|\\\r?\n){0,9999})"
    rb"|import[ \t]+([\w., \t]{1,9999}))",
    re.MULTILINE,
)


class ImportStatement(NamedTuple):
    """One statement, or a line of a text that reads like one."""

    source: bytes
    """The module of ``from``; empty for a plain import."""
    names: bytes
    """What stands behind ``from ... import``, with brackets, remarks and continuations."""
    plain: bytes
    """What stands behind a plain ``import``."""


@lru_cache(maxsize=1)
def import_statements(python: bytes) -> tuple[ImportStatement, ...]:
    """Those of a file, in the order of its text."""
    found = _STATEMENT.findall(python) if b"import" in python else ()
    return tuple(map(ImportStatement._make, found))
