"""Flags that users know, from the vendor's tool or from the plans, and that do not exist yet.

They are refused by name: to ignore one would be to migrate something else than was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..output.errors import UsageError

_MISSING_FLAGS = {
    "cli.missing.analysis": ("--analysis",),
}
_FEATURES = {flag: feature for feature, flags in _MISSING_FLAGS.items() for flag in flags}


def refuse_missing_flags(arguments: Iterable[str]) -> None:
    """Stop at a flag whose feature this release lacks.

    Raises:
        UsageError: there is one.
    """
    for argument in arguments:
        flag = argument.partition("=")[0]
        if flag in _FEATURES:
            raise UsageError(_FEATURES[flag], name=flag)
