"""``check -``: one file from standard input; its fixed text goes to standard output."""

from __future__ import annotations

import shutil
import sys

import attrs

from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.options.options import MigrationOptions

from ..project.examination import Examination
from ..project.examine import Request, examine, recheck
from ..project.files.writing.copying import too_large
from ..project.regular_files import read_at_most
from ..project.report.result import FileStatus

STDIN = "-"
"""The path that means standard input, and its name as long as it has no other."""


def check_standard_input(name: str | None, options: MigrationOptions, *, fix: bool) -> Examination:
    """Check what standard input holds. With ``fix``, write the fixed text, changed or not.

    What the fixes of a text must leave, because other files of its project would have to change with it, only
    the project shows; it is not read for a mere check, which an editor may ask for at each key.
    """
    from ..project.inspect.one_text import Placed, placed_alone

    limit = options.max_file_bytes
    data = read_at_most(sys.stdin.buffer, limit + 1)
    if len(data) > limit:
        if fix:
            _pass_on(data)
        return Examination(path=name or STDIN, status=FileStatus.FAILED, problem=too_large(len(data), limit))
    request = Request(options=options, fix=fix, counts_silenced=True)
    placed = placed_alone(name or "", data, options) if fix or not name else Placed(name, STANDALONE)
    done = examine(placed.path, data, request, placed.project)
    if fix:
        _write(data if done.data is None else done.data)
        done = recheck(done, request, placed.project)
    return attrs.evolve(done, path=name or STDIN)


def _pass_on(beginning: bytes) -> None:
    """Write what was read and all that follows, without holding it."""
    sys.stdout.buffer.write(beginning)
    shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
