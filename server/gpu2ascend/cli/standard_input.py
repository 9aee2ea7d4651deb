"""``check -``: one file from standard input; its fixed text goes to standard output."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from gpu2ascend_rules.apply import apply_fixes
from gpu2ascend_rules.custom.find import matched_rules
from gpu2ascend_rules.engine import check
from gpu2ascend_rules.limits import TimeLimitError, time_limit
from gpu2ascend_rules.notebook.ipynb import NotebookError
from gpu2ascend_rules.options import MigrationOptions
from gpu2ascend_rules.project import STANDALONE
from gpu2ascend_rules.source import SourceFile

from ..project.check import CheckedFile, checked_notebook
from ..project.copying import read_at_most, too_large
from ..project.encoding import NotTextError, SourceText, decode, encode
from ..project.file_job import out_of_time
from ..project.notebooks import examine, is_notebook, not_a_notebook
from ..project.syntax import nesting_problem

STDIN = "-"
"""The path that means standard input, and its name as long as it has no other."""


def check_standard_input(name: str | None, options: MigrationOptions, *, fix: bool) -> CheckedFile:
    """Check what standard input holds. With ``fix``, write the fixed text, changed or not."""
    path = Path(name or STDIN)
    limit = options.max_file_bytes
    data = read_at_most(sys.stdin.buffer, limit + 1)
    if len(data) > limit:
        if fix:
            _pass_on(data)
        return CheckedFile(path, None, (), problem=too_large(len(data), limit))
    try:
        with time_limit():
            checked, written = _checked(name, data, options, fix=fix)
    except TimeLimitError:
        checked, written = CheckedFile(path, None, (), problem=out_of_time()), data
    if fix:
        _write(written)
    return checked


def _checked(
    name: str | None, data: bytes, options: MigrationOptions, *, fix: bool
) -> tuple[CheckedFile, bytes]:
    """What is found, and what is to be written with ``fix``."""
    path = Path(name or STDIN)
    try:
        text = decode(data)
    except NotTextError as error:
        return CheckedFile(path, None, (), problem=error.message), data
    if is_notebook(path.name):
        return _checked_notebook(path, text, data, options, fix=fix)
    source = SourceFile(text.text, name or "")
    nested, matched = nesting_problem(source, options), matched_rules(source, options)
    found = CheckedFile(path, source, (), problem=nested, matched=matched)
    if not fix:
        return found._replace(findings=check(source, options)), data
    outcome = apply_fixes(source, options)
    try:
        written = encode(outcome.text, text, data)
    except NotTextError as error:
        return found._replace(findings=check(source, options), problem=error.message), data
    fixed = found._replace(
        source=SourceFile(outcome.text, source.path),
        findings=tuple(item.finding for item in outcome.remaining),
        applied=outcome.applied,
        equivalents=outcome.equivalents,
    )
    return fixed, written


def _checked_notebook(
    path: Path, text: SourceText, data: bytes, options: MigrationOptions, *, fix: bool
) -> tuple[CheckedFile, bytes]:
    try:
        done = examine(text.text, str(path), options, STANDALONE, fix=fix)
    except NotebookError as error:
        return CheckedFile(path, None, (), problem=not_a_notebook(error)), data
    written = encode(done.text, text, data) if done.text != text.text else data
    checked = checked_notebook(path, done)
    given = SourceFile(text.text)
    return checked._replace(matched=matched_rules(checked.source or given, options)), written


def _pass_on(beginning: bytes) -> None:
    """Write what was read and all that follows, without holding it."""
    sys.stdout.buffer.write(beginning)
    shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
