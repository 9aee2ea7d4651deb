"""The commands of an order: what makes its fixes, and what shows that it is done."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from gpu2ascend_rules.options.options import MigrationOptions

from ...texts.shell import Word, command_line

CHECKED_PATHS = 5
"""Paths that a command names; with more, it is about the whole project."""
_STARTS: Mapping[str, tuple[Word, ...]] = {".py": (), ".sh": ("bash",)}
"""What is before the name of a program, by its suffix."""


class Looked(NamedTuple):
    """How a project was looked at, which a command must repeat."""

    source: str | None = None
    """The path from the project to what was migrated, where that is known."""
    flags: tuple[Word, ...] = ()
    """What a command in the project would choose otherwise."""
    recorded: frozenset[str] | None = None
    """The orders of the project's document, by which done ones are known; None: it has all."""


class Commands(NamedTuple):
    """Commands to type in the project."""

    fix: str | None
    """Makes the fixes of the order, and no others; None where a place has none."""
    check: str
    """Ends with 0 once the order is done; where no document has it, once the rule finds nothing there."""
    verify: str | None = None
    """Runs a program on whose way the order is, on a simulated NPU; None where there is none."""
    compare: str | None = None
    """The same beside the original, with a comparison of the losses, where other code computes now."""


def checks(
    order: str, code: str, paths: Collection[str], looked: Looked, *, is_fixable: bool, is_to_do: bool
) -> Commands:
    """The commands about an order of a rule in some files.

    Args:
        is_to_do: False for advice, which is an order only where somebody has chosen it.
    """
    named = [f"./{path}" if path.startswith("-") else path for path in paths]
    named = named if len(paths) <= CHECKED_PATHS else ["."]
    found = ("gpu2ascend", "check", "--select", code, *looked.flags)
    fix = (*found, "--fix", "--unsafe-fixes", "--order", order, *named)
    is_known = is_to_do and (looked.recorded is None or order in looked.recorded)
    check = ("gpu2ascend", "handover", ".", *looked.flags, "--check", order) if is_known else (*found, *named)
    return Commands(command_line(*fix) if is_fixable else None, command_line(*check))


def repeated_flags(options: MigrationOptions, *, has_version: bool) -> tuple[Word, ...]:
    """The flags without which a command in the project would look for something else.

    Args:
        has_version: Whether it chooses the version by itself.
    """
    usual = MigrationOptions()
    target, version, hardware = options.target.name, str(options.require_version()), options.hardware
    return (
        *(("--target", target) if target != usual.target.name else ()),
        *(() if has_version else ("-v", version)),
        *(("--hardware", hardware.value) if hardware is not usual.hardware else ()),
    )


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
