"""What ``check`` makes of a file: all fixes, those of some lines or of an order, or comments instead."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gpu2ascend_rules.fixing import apply_fixes

from ...project.files.content.notebooks import is_notebook
from ...project.fixing import Transform
from ...project.paths import is_directory
from ..output.errors import UsageError
from ..standard_input import STDIN


def transform_of(namespace: argparse.Namespace, paths: Sequence[str]) -> Transform:
    """What the flags ask for.

    Raises:
        UsageError: what ``--lines`` names are no lines of one file on the disk, or nothing is fixed;
            or ``--order`` names none.
    """
    if namespace.add_ignore:
        from ...project.ignoring import ignore_all

        return ignore_all
    if namespace.order is None and namespace.lines is None:
        return apply_fixes
    from ...project.choosing import FixesAtLines, FixesOfOrder

    if namespace.order is not None:
        return FixesOfOrder(_order(namespace))
    return FixesAtLines(_lines(namespace, paths))


def _order(namespace: argparse.Namespace) -> str:
    from ...project.handover.naming import is_order_name

    name: str = namespace.order
    if not is_order_name(name):
        raise UsageError("cli.handover.no-id", name=name)
    if namespace.lines is not None or not (namespace.fix or namespace.diff):
        raise UsageError("cli.check.order-fix")
    return name


def _lines(namespace: argparse.Namespace, paths: Sequence[str]) -> range:
    text = namespace.lines
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()) or not 0 < int(first) <= int(last or first):
        raise UsageError("cli.check.lines-number", value=text)
    if len(paths) != 1 or STDIN in paths or is_directory(Path(paths[0])) or is_notebook(paths[0]):
        raise UsageError("cli.check.lines-file")
    if not (namespace.fix or namespace.diff):
        raise UsageError("cli.check.lines-fix")
    return range(int(first), int(last or first) + 1)
