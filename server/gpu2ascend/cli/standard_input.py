"""``check -``: one file from standard input; its fixed text goes to standard output."""

from __future__ import annotations

import sys

import attrs

from gpu2ascend_rules.options.options import MigrationOptions

from ..project.examination import Examination
from ..project.examine import Request, examine, recheck

STDIN = "-"
"""The path that means standard input, and its name as long as it has no other."""


def check_standard_input(name: str | None, options: MigrationOptions, *, fix: bool) -> Examination:
    """Check what standard input holds. With ``fix``, write the fixed text, changed or not."""
    data = sys.stdin.buffer.read()
    request = Request(options=options, fix=fix)
    done = examine(name or "", data, request)
    if fix:
        _write(data if done.data is None else done.data)
        done = recheck(done, request)
    return attrs.evolve(done, path=name or STDIN)


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
