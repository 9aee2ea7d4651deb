"""``check -``: one file from standard input; its fixed text goes to standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from gpu2ascend_rules.check import check
from gpu2ascend_rules.custom.find import matched_rules
from gpu2ascend_rules.fix import apply_fixes
from gpu2ascend_rules.model.project_view import STANDALONE
from gpu2ascend_rules.notebook.ipynb import NotebookError
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

from ..project.files.encoding import NotTextError, SourceText, decode, encode
from ..project.files.notebooks import examine, is_notebook, not_a_notebook
from ..project.inspect.check import CheckedFile, checked_notebook

STDIN = "-"
"""The path that means standard input, and its name as long as it has no other."""


def check_standard_input(name: str | None, options: MigrationOptions, *, fix: bool) -> CheckedFile:
    """Check what standard input holds. With ``fix``, write the fixed text, changed or not."""
    path = Path(name or STDIN)
    data = sys.stdin.buffer.read()
    try:
        text = decode(data)
    except NotTextError as error:
        if fix:
            _write(data)
        return CheckedFile(path, None, (), problem=error.message)
    if is_notebook(path.name):
        return _check_notebook(path, text, data, options, fix=fix)
    source = SourceFile(text.text, name or "")
    matched = matched_rules(source, options)
    if not fix:
        return CheckedFile(path, source, check(source, options), matched=matched)
    outcome = apply_fixes(source, options)
    try:
        _write(encode(outcome.text, text, data))
    except NotTextError as error:
        _write(data)
        return CheckedFile(path, source, check(source, options), problem=error.message, matched=matched)
    findings = tuple(item.finding for item in outcome.remaining)
    fixed = SourceFile(outcome.text, source.path)
    return CheckedFile(
        path, fixed, findings, outcome.applied, equivalents=outcome.equivalents, matched=matched
    )


def _check_notebook(
    path: Path, text: SourceText, data: bytes, options: MigrationOptions, *, fix: bool
) -> CheckedFile:
    try:
        done = examine(text.text, str(path), options, STANDALONE, fix=fix)
    except NotebookError as error:
        if fix:
            _write(data)
        return CheckedFile(path, None, (), problem=not_a_notebook(error))
    if fix:
        _write(encode(done.text, text, data) if done.text != text.text else data)
    checked = checked_notebook(path, done)
    given = SourceFile(text.text)
    return checked._replace(matched=matched_rules(checked.source or given, options))


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
