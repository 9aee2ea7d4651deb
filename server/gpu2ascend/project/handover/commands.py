"""The commands of an order: what makes its fixes, and what shows that it is done."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from ...texts.shell import Word, command_line

CHECKED_PATHS = 5
"""Paths that a command names; with more, it checks the whole project."""
_STARTS: Mapping[str, tuple[Word, ...]] = {".py": (), ".sh": ("bash",)}
"""What is before the name of a program, by its suffix."""


class Commands(NamedTuple):
    """Commands to type in the project."""

    fix: str | None
    """Makes the offered fixes; None where a place has none."""
    check: str
    """Ends with 0 once the order is done."""
    verify: str | None = None
    """Runs a program on whose way the order is, on a simulated NPU; None where there is none."""
    compare: str | None = None
    """The same beside the original, with a comparison of the losses, where other code computes now."""


def checks(code: str, paths: Collection[str], *, has_fixes: bool) -> Commands:
    """The commands about the findings of a rule in some files."""
    named = [f"./{path}" if path.startswith("-") else path for path in paths]
    named = named if len(paths) <= CHECKED_PATHS else ["."]
    check = ("gpu2ascend", "check", "--select", code)
    fix = command_line(*check, "--fix", "--unsafe-fixes", *named) if has_fixes else None
    return Commands(fix, command_line(*check, *named))


def with_runs(commands: Commands, entries: Sequence[str], original: str | None) -> Commands:
    """The commands with those that run the first program that ``verify`` can run.

    Args:
        entries: The programs on whose way the order is.
        original: What the run is compared with, as a path from the project; None without a comparison.
    """
    path = next((path for path in map(PurePosixPath, entries) if path.suffix in _STARTS), None)
    if path is None:
        return commands
    run = ("--", *_STARTS[path.suffix], path)
    verify = ("gpu2ascend", "verify", ".")
    compare = command_line(*verify, "--compare", PurePosixPath(original), *run) if original else None
    return commands._replace(verify=command_line(*verify, *run), compare=compare)
