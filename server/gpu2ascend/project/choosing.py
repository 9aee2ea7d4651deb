"""Only some of the fixes of a source: those at lines, of a work order, or of what a change touches."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.hosting import Judge
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.model.outcome import FixOutcome
from gpu2ascend_rules.model.project.project_view import ProjectView, decisions_about
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

from .files.content.notebooks import is_notebook
from .files.discover import PYTHON_SUFFIXES
from .handover.naming import order_of
from .index.view import ProjectFiles
from .report.hunks import Touched

IsChosen = Callable[[Finding, int], bool]
"""Whether the fix of a finding is made, which begins at an offset of the given text."""


class ChosenFixes(ABC):
    """Makes only the fixes of some findings. A :class:`.fixing.Transform`."""

    @abstractmethod
    def chooser(self, source: Any, options: MigrationOptions, project: ProjectView) -> IsChosen:
        """What chooses among the findings of a source."""

    def __call__(
        self,
        source: Any,
        options: MigrationOptions,
        project: ProjectView,
        /,
        *,
        is_sound: Judge | None = None,
    ) -> FixOutcome:
        """The source after these fixes."""
        is_chosen = self.chooser(source, options, project)
        return apply_fixes(source, options, project, is_sound=is_sound, is_chosen=is_chosen)


@attrs.frozen
class FixesAtLines(ChosenFixes):
    """The fixes of findings that begin on some lines, with the other words of their units."""

    lines: range
    """From 1."""

    def chooser(self, source: Any, options: MigrationOptions, project: ProjectView) -> IsChosen:
        given = source.lines
        words = decisions_about(source.data, source.path, project, options).words

        def is_here(start: int) -> bool:
            return given.position(start).line + 1 in self.lines

        units = {decision.unit for start, decision in words.items() if is_here(start)}

        def is_chosen(finding: Finding, start: int) -> bool:
            return is_here(start) or (start in words and words[start].unit in units)

        return is_chosen


@attrs.frozen
class FixesOfOrder(ChosenFixes):
    """The fixes of the findings of one work order."""

    order: str

    def chooser(self, source: Any, options: MigrationOptions, project: ProjectView) -> IsChosen:
        return lambda finding, start: order_of(finding) == self.order


@attrs.frozen
class FixesOfChange(ChosenFixes):
    """The fixes of findings that begin in statements which a change touches.

    The words of a unit are edited together: all of them, once the change touches one.
    """

    touched: Mapping[str, Touched]
    """By path; of other files, nothing is touched."""
    units: frozenset[int] = frozenset()
    """Those of which a word is touched."""
    whole: frozenset[str] = frozenset()
    """Files beside modules that hold a part of such a unit."""

    @classmethod
    def of(
        cls, touched: Mapping[str, Touched], project: ProjectFiles, options: MigrationOptions
    ) -> tuple[FixesOfChange, ProjectFiles]:
        """The fixes of a change, and the project in which the words of all other units stay."""
        units = project.program.decided(options).units
        chosen = frozenset(
            number
            for number, unit in enumerate(units)
            if any(_is_touched(touched.get(path), project, path, start) for path, start in unit.words)
        )
        paths = {path for number in chosen for path in units[number].paths}
        whole = frozenset(path for path in paths if not path.lower().endswith(PYTHON_SUFFIXES))
        others = frozenset(range(len(units))) - chosen
        return cls(touched, chosen, whole), project.holding(others, options)

    def chooser(self, source: Any, options: MigrationOptions, project: ProjectView) -> IsChosen:
        path = source.path
        touched = self.touched.get(path, Touched())
        words = decisions_about(source.data, path, project, options).words
        is_whole = path in self.whole or (is_notebook(path) and touched.is_changed)
        spans = _statements(source.data) if touched.is_changed and isinstance(source, SourceFile) else {}

        def is_chosen(finding: Finding, start: int) -> bool:
            decision = words.get(start)
            line = source.lines.position(start).line + 1
            first, last = spans.get(line, (line, line))
            is_of_unit = decision is not None and decision.unit in self.units
            return is_whole or is_of_unit or touched.touches(first, last)

        return is_chosen


def _is_touched(touched: Touched | None, project: ProjectFiles, path: str, start: int) -> bool:
    text = project.text_at(path) if touched is not None else None
    if touched is None or text is None:
        return False
    line = text.encode("utf-8", "surrogatepass").count(b"\n", 0, start) + 1
    return touched.touches(line, line)


def _statements(data: bytes) -> dict[int, tuple[int, int]]:
    """The first and last line of the statement without a body, or the head, to which a line belongs."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[int, tuple[int, int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
            found.update(dict.fromkeys(range(node.lineno, last + 1), (node.lineno, last)))
    return found
