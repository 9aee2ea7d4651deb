"""What other files of the project may do with what a file has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from posixpath import dirname, join

from gpu2ascend_rules.codemods.program import Program
from gpu2ascend_rules.text.source_file import SourceFile

from .evidence import Evidence

_TURNS_OFF = re.compile(rb"\.requires_grad(?:\s*=(?!=)(?!\s*True)|_\((?!\s*(?:True\s*)?\)))")


def may_be_off_elsewhere(evidence: Evidence) -> bool:
    """Whether a file around this one sets flags to anything but true; see :func:`may_be_so_around`."""
    return may_be_so_around(
        evidence, lambda _, one: _TURNS_OFF.search(one.data) is not None, only_reaching=True
    )


def may_be_so_around(
    evidence: Evidence, is_such: Callable[[Program, SourceFile], bool], *, only_reaching: bool = False
) -> bool:
    """Whether another file has a property: one that this one reaches, or that lies beside or above it, with
    what that reaches. Where only others import this one, nothing is known of them.

    Args:
        only_reaching: Those beside and above it count as long as they are seen to reach it.
    """
    source, is_reached = evidence.source, False
    above = [SourceFile(text, path) for path, text in _beside_and_above(evidence)]
    seen: set[str] = set()
    for entry in (one for one in [source, *reversed(above)] if one.path not in seen):
        program = Program(entry, evidence.context.project)
        try:
            files = {one.path: one for one in program.files}
            if entry is not source:
                seen |= files.keys() - {source.path}
                is_reached = is_reached or source.path in files
                if only_reaching and source.path not in files:
                    continue
            if any(is_such(program, one) for path, one in files.items() if path != source.path):
                return True
        finally:
            program.forget()
    return _is_imported(evidence) and not is_reached


def _is_imported(evidence: Evidence) -> bool:
    module = _module_of(evidence.source.path)
    return any(one.partition(".")[0] == module for one in evidence.context.project.imported_names)


def _module_of(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".py")


def _beside_and_above(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """The other Python files of a file's folder, and of those above it, by their paths."""
    path, project = evidence.source.path, evidence.context.project
    folder = dirname(path)
    while True:
        for name in project.names_in(folder):
            other = join(folder, name)
            text = project.text_at(other) if name.endswith(".py") and other != path else None
            if text is not None:
                yield other, text
        if not folder or dirname(folder) == folder:
            return
        folder = dirname(folder)
