"""From the lines that processes executed to those that they did not. Files are compiled, nothing is run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import CodeType

from ...project.files.content.notebooks import is_notebook
from ...project.files.discover import EntryKind, walk
from ...project.files.excludes import Excludes
from ...project.regular_files import read_inside
from ..running.records import Record
from .model import FileCoverage

_MAX_BYTES = 5_000_000


def coverage_of(project: Path, records: Iterable[Record]) -> tuple[FileCoverage, ...]:
    """Each file of which something ran, by path."""
    lines: dict[str, set[int]] = {}
    for record in records:
        for path, numbers in record.lines.items():
            lines.setdefault(path, set()).update(numbers)
    return tuple(_file(project, path, numbers) for path, numbers in sorted(lines.items()) if numbers)


def files_without(project: Path, coverage: Iterable[FileCoverage]) -> tuple[str, ...]:
    """The Python files of a project of which nothing ran."""
    ran = {file.path for file in coverage}
    found = (entry.path for entry in walk(project, Excludes(())) if entry.kind is EntryKind.PYTHON)
    return tuple(path for path in found if path not in ran and not is_notebook(path))


def ranges(lines: Iterable[int]) -> str:
    """Lines as people write them: ``3, 7-9``."""
    parts: list[list[int]] = []
    for line in sorted(lines):
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def _file(project: Path, path: str, ran: set[int]) -> FileCoverage:
    possible = _possible_lines(project, path)
    return FileCoverage(path, len(ran), tuple(sorted(possible - ran)))


def _possible_lines(project: Path, path: str) -> set[int]:
    """Lines that a file's code has; none where it cannot be compiled by this Python."""
    try:
        source = read_inside(project, project / path, _MAX_BYTES)
        module = compile(source, path, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {line for line in _lines(module) if line}


def _lines(code: CodeType) -> set[int]:
    """Of a code object and all below. A definition's own line belongs to what is around it."""
    first = code.co_firstlineno if code.co_name != "<module>" else None
    own = {line for _, _, line in code.co_lines() if line and line != first}
    below = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return own.union(*(_lines(constant) | _one_line(constant) for constant in below))


def _one_line(code: CodeType) -> set[int]:
    """The line of a body that is in the line of its definition."""
    lines = {line for _, _, line in code.co_lines() if line}
    return lines if lines == {code.co_firstlineno} else set()
