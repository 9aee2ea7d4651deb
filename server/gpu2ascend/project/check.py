"""Check files and directories, or fix them where they are: what ``gpu2ascend check`` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.apply import AppliedFix
from gpu2ascend_rules.finding import Finding, Message
from gpu2ascend_rules.options import MigrationOptions
from gpu2ascend_rules.source import SourceFile


class CheckedFile(NamedTuple):
    """A file and what was found in it."""

    path: Path
    """As reached from the path given."""
    source: SourceFile | None
    """The text that the findings' offsets refer to; None if the file could not be read or decoded."""
    findings: tuple[Finding, ...]
    applied: tuple[AppliedFix, ...] = ()
    """With ``fix``: the edits that were made to the file."""
    problem: Message | None = None
    """Why the file could not be examined or not be fixed: a failure, exit code 2."""


def check_paths(
    paths: Iterable[Path],
    options: MigrationOptions,
    *,
    fix: bool = False,
    jobs: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[CheckedFile]:
    """Check each Python file at or below ``paths``, in order; files without a finding or problem too.

    A file named directly is checked whatever its name; below a directory, ``.py`` files that no
    ``exclude`` pattern of the options matches. With ``fix``, safe fixes (and unsafe ones, if the options
    ask for them) are written to the files, whole or not at all, and the findings are those that remain.
    Close the iterator if you stop early (``contextlib.closing``): it ends the worker processes.

    Raises:
        InputError: a path does not exist or cannot be listed.
        OptionError: the options choose no version.
    """
    raise NotImplementedError
