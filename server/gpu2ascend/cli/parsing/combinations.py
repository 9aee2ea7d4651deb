"""Flags that have no effect as they were given: to ignore one would be to do another thing than was asked."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import NamedTuple

from ...project.files.writing.replacing import READ_ONLY_FLAG
from ..output.errors import UsageError


class _Needs(NamedTuple):
    """A flag that another one gives its meaning."""

    command: str
    flag: str
    other: str
    or_else: str = ""
    """A second one that does."""


class _Excludes(NamedTuple):
    """A flag that another one leaves without a meaning."""

    command: str
    flag: str
    other: str


class _Always(NamedTuple):
    """A flag that asks for what the command does in any case, or to leave it, by its ``--no-`` form."""

    command: str
    flag: str


TABLE: tuple[_Needs | _Excludes | _Always, ...] = (
    _Excludes("migrate", "--force", "--diff"),
    _Excludes("migrate", "--discard-changes", "--diff"),
    _Excludes("migrate", "--no-base", "--diff"),
    _Excludes("migrate", "--update", "--diff"),
    _Excludes("migrate", "--update", "--force"),
    _Excludes("migrate", "--update", "--no-base"),
    _Excludes("migrate", "--update", "--dynamic-analysis"),
    _Needs("migrate", "--deletions", "--update"),
    _Excludes("migrate", "--in-place", "--output"),
    _Excludes("migrate", "--in-place", "--diff"),
    _Excludes("migrate", "--in-place", "--force"),
    _Excludes("migrate", "--in-place", "--update"),
    _Excludes("migrate", "--in-place", "--no-base"),
    _Excludes("migrate", "--in-place", "--dynamic-analysis"),
    _Needs("migrate", "--branch", "--in-place"),
    _Needs("migrate", "--one-commit", "--in-place"),
    _Needs("migrate", "--since", "--in-place"),
    _Needs("migrate", "--run-hooks", "--in-place"),
    _Needs("migrate", "--discard-changes", "--force"),
    _Always("migrate", "--unknown-apis"),
    _Always("migrate", "--restricted-apis"),
    _Always("analyze", "--unknown-apis"),
    _Needs("analyze", "--force", "--output"),
    _Needs("check", READ_ONLY_FLAG, "--fix", "--add-ignore"),
    _Excludes("check", READ_ONLY_FLAG, "--diff"),
    _Needs("check", "--report", "--fix"),
    *(_Excludes("check", "--report", flag) for flag in ("--diff", "--watch", "--lines", "--order")),
    *(
        _Excludes("check", flag, "--diff")
        for flag in ("--output-format", "--statistics", "--watch", "--since")
    ),
    *(
        _Excludes("check", flag, "--add-ignore")
        for flag in (
            "--fix",
            "--diff",
            "--output-format",
            "--statistics",
            "--exit-zero",
            "--watch",
            "--since",
            "--lines",
        )
    ),
    _Excludes("check", "--output-format", "--watch"),
    _Excludes("check", "--exit-zero", "--watch"),
    _Excludes("check", "--since", "--fix"),
    _Needs("rank-table", "--force", "--output"),
    _Excludes("verify", "--index-url", "--python"),
    _Excludes("verify", "--torch-index-url", "--python"),
    _Excludes("verify", "--allow-project-sources", "--python"),
    _Excludes("doctor", "--nnodes", "--log"),
    _Excludes("doctor", "--python", "--log"),
)
"""By the long spellings of the flags. What an option of a migration depends on is with the option."""


def is_always_done(command: str, flags: Iterable[str]) -> bool:
    """Whether a command does in any case what a flag, by one of its spellings, asks for."""
    return any(_Always(command, flag) in TABLE for flag in flags)


def refuse_without_effect(command: str, namespace: argparse.Namespace, spellings: dict[str, str]) -> None:
    """Look at the flags of a command beside each other.

    Args:
        spellings: The attribute of the namespace for each flag.

    Raises:
        UsageError: one has no effect.
    """

    def is_given(flag: str) -> bool:
        return getattr(namespace, spellings[flag]) not in (None, False)

    for entry in TABLE:
        if entry.command != command:
            continue
        if isinstance(entry, _Always) and getattr(namespace, spellings[entry.flag]) is not None:
            raise UsageError("cli.error.always", flag=entry.flag, command=f"gpu2ascend {command}")
        if not is_given(entry.flag):
            continue
        if isinstance(entry, _Needs) and not any(map(is_given, filter(None, (entry.other, entry.or_else)))):
            raise UsageError("cli.error.needs_flag", flag=entry.flag, other=entry.other)
        if isinstance(entry, _Excludes) and is_given(entry.other):
            raise UsageError("cli.error.excludes", flag=entry.flag, other=entry.other)
