"""Whether another file of the project may turn off flags of parameters that a file uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from posixpath import dirname, join

from gpu2ascend_rules.codemods.program import Program
from gpu2ascend_rules.text.source_file import SourceFile

from ...evidence import Evidence

_TURNS_OFF = re.compile(rb"\.requires_grad(?:\s*=(?!=)(?!\s*True)|_\((?!\s*(?:True\s*)?\)))")


def may_be_off_elsewhere(evidence: Evidence) -> bool:
    """Whether a file that this one reaches, or one that reaches it, sets flags to anything but true.

    Files that reach it are those beside and above it; where only others import it, nothing is known of them.
    """
    source, project = evidence.source, evidence.context.project
    if _is_reached(
        evidence, source, lambda one: one.path != source.path and bool(_TURNS_OFF.search(one.data))
    ):
        return True
    above = [SourceFile(text, path) for path, text in _beside_and_above(evidence)]
    module = source.path.rpartition("/")[2].removesuffix(".py")
    is_imported = any(one.partition(".")[0] == module for one in project.imported_names)
    imports = re.compile(rb"\b(?:import|from)\b[^\n]*\b%s\b" % re.escape(module.encode()))
    if is_imported and not any(imports.search(one.data) for one in above):
        return True
    turning = [one for one in above if _TURNS_OFF.search(one.data)]
    return any(_is_reached(evidence, one, lambda other: other.path == source.path) for one in turning)


def _is_reached(evidence: Evidence, entry: SourceFile, is_such: Callable[[SourceFile], bool]) -> bool:
    """Whether a file with a property is among those that another one reaches."""
    program = Program(entry, evidence.context.project)
    try:
        return any(map(is_such, program.files))
    finally:
        program.forget()


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
