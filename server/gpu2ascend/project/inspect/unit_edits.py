"""The fixes that are made together or not at all: those of the words of one unit, in all files of a project.

What a file shows alone, such as its fix-all, must not make a part of them: :meth:`UnitEdits.alone`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import attrs

from gpu2ascend_rules.fix_closure import closure_edits
from gpu2ascend_rules.hosting import Refusals, RewriteDeclined, own_edits, selected_together
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding
from gpu2ascend_rules.model.project.decisions import Outcome, begins_literal, begins_number
from gpu2ascend_rules.model.project.project_view import ProjectView, decisions_about
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.plain.text_file import TextFile

from ..examine import Request, examine
from ..files.content.notebooks import is_notebook
from ..files.content.soundness import judge_of
from ..files.discover import PYTHON_SUFFIXES
from ..files.excludes import Editable, Excludes
from ..index.view import ProjectFiles

_Key = tuple[str, int, int]
"""What two findings of the same text have in common that are the same: the rule, the start, and the end."""


class UnitFile(NamedTuple):
    """What the fixes of a unit change in one file."""

    path: str
    """Relative to the project's directory, with ``/``."""
    source: TextFile
    edits: tuple[Edit, ...]


def safe_only(options: MigrationOptions) -> MigrationOptions:
    """The options by which an editor makes fixes: the safe ones, with the rules that change what changes with
    the words of a selected one."""
    together = selected_together(options)
    return attrs.evolve(options, select=together, unsafe_fixes=False, replace_unsupported=False)


class UnitEdits:
    """The units of one state of a project, as fixes have to see them.

    Args:
        project: The project; without one, or while not all of it is known, there are no units.
        options: Unsafe fixes are no part of a unit, whatever they say.
    """

    def __init__(self, project: ProjectView, options: MigrationOptions) -> None:
        self._project = project if isinstance(project, ProjectFiles) and project.is_complete else None
        self._given = project
        self._options = safe_only(options)
        self._editable = Editable(Excludes(options.exclude, options.copy))
        self._units = self._project.program.decided(options).units if self._project is not None else ()
        self._moving = [number for number, unit in enumerate(self._units) if unit.outcome is Outcome.MOVES]

    def alone(self, path: str) -> ProjectView:
        """The project where no unit may be edited that has a part outside of one file."""
        return self._holding(self._beyond(path))

    def members(self, source: TextFile, findings: Iterable[Finding]) -> Mapping[int, int]:
        """Which findings have a fix that is a part of a unit with parts in other files.

        Args:
            source: A text of a file of the project, which may be newer than the project's.
            findings: What is found in it.

        Returns:
            The numbers of the units by the places of their findings in the order that was given.
        """
        beyond = self._beyond(source.path)
        if self._project is None or not beyond:
            return {}
        safe = {number: item for number, item in enumerate(findings) if _is_safe(item)}
        words = decisions_about(source.data, source.path, self._project, self._options).words
        found = {
            number: words[item.start].unit
            for number, item in safe.items()
            if item.start in words and words[item.start].unit in beyond
        }
        if source.path.lower().endswith(PYTHON_SUFFIXES):
            return found
        for unit in self._named_in(source.data, beyond):
            held = _safe_keys(self._found(source, self._holding([unit])))
            found.update({number: unit for number, item in safe.items() if _key(item) not in held})
        return found

    def count_of_files(self, number: int) -> int:
        """How many files have a part of a unit; 0 where one of them may not be edited."""
        paths = self._paths(number)
        return len(paths) if all(map(self._may_edit, paths)) else 0

    def edits(self, number: int) -> tuple[UnitFile, ...] | None:
        """What the fixes of a unit change, by file; None where a part of them cannot be made."""
        if self._project is None or not self.count_of_files(number):
            return None
        files = []
        for path in sorted(self._paths(number)):
            file = self._edits_in(path, number)
            if file is None:
                return None
            files.append(file)
        return tuple(file for file in files if file.edits) or None

    def _edits_in(self, path: str, number: int) -> UnitFile | None:
        text = self._project.text_at(path) if self._project is not None else None
        if text is None:
            return None
        others = self._beyond(path) - {number}
        project = self._holding(others)
        done = examine(path, text, Request(options=self._options), project)
        source = done.source
        if source is None or done.problem is not None:
            return None
        rest = [item for item in self._found(source, self._holding(others | {number})) if _is_safe(item)]
        left = _safe_keys(rest)
        wanted = [item for item in done.findings if _is_safe(item) and _key(item) not in left]
        if not self._words_in(source, number) <= {item.start for item in wanted}:
            return None
        refusals = Refusals(judge_of(source))
        edits = closure_edits(source, wanted, (*wanted, *rest), self._options, project, refusals)
        if refusals.findings or not all(_is_made(source, item, edits) for item in wanted):
            return None
        return UnitFile(path, source, edits)

    def _words_in(self, source: TextFile, number: int) -> set[int]:
        """Where the words of a unit begin in a file; an option declared without one does not count."""
        starts = {start for path, start in self._units[number].words if path == source.path}
        if not source.path.lower().endswith(PYTHON_SUFFIXES):
            return starts
        return {start for start in starts if _is_edited(source.data, start)}

    def _beyond(self, path: str) -> frozenset[int]:
        """The units that move and have a part outside of a file."""
        return frozenset(number for number in self._moving if self._paths(number) - {path})

    def _paths(self, number: int) -> frozenset[str]:
        return self._units[number].paths | self._passing.get(number, frozenset())

    def _may_edit(self, path: str) -> bool:
        is_there = self._project is not None and self._project.text_at(path) is not None
        return is_there and not is_notebook(path) and self._editable.allows(path)

    def _holding(self, units: Iterable[int]) -> ProjectView:
        if self._project is None:
            return self._given
        return self._project.holding(frozenset(units), self._options)

    def _found(self, content: TextFile, project: ProjectView) -> tuple[Finding, ...]:
        request = Request(options=self._options, is_lenient=True)
        return examine(content.path, content, request, project).findings

    @cached_property
    def _passing(self) -> Mapping[int, frozenset[str]]:
        """The scripts that give a unit's options a word which changes with it."""
        found: dict[int, set[str]] = {}
        project = self._project
        if project is None or not any(self._units[number].flags for number in self._moving):
            return {}
        names = frozenset(name for number in self._moving for name in self._units[number].flags)
        for file in project.giving_files(names):
            for number in self._given_in(file.path, file.data.decode("utf-8", "surrogatepass")):
                found.setdefault(number, set()).add(file.path)
        return {number: frozenset(paths) for number, paths in found.items()}

    def _given_in(self, path: str, text: str) -> Iterable[int]:
        named = list(self._named_in(text.encode("utf-8", "surrogatepass"), self._moving))
        if not named:
            return
        request = Request(options=self._options, is_lenient=True)
        safe = _safe_keys(examine(path, text, request, self._given).findings)
        for number in named if safe else ():
            held = examine(path, text, request, self._holding([number])).findings
            if safe - _safe_keys(held):
                yield number

    def _named_in(self, data: bytes, numbers: Iterable[int]) -> Iterable[int]:
        """The units of which a text names an input."""
        for number in sorted(numbers):
            if any(name.strip("$").encode() in data for name in self._units[number].flags):
                yield number


def _key(finding: Finding) -> _Key:
    return finding.code, finding.start, finding.end


def _is_safe(finding: Finding) -> bool:
    return finding.applicability is Applicability.SAFE


def _safe_keys(findings: Iterable[Finding]) -> set[_Key]:
    return {_key(item) for item in findings if _is_safe(item)}


def _is_made(source: TextFile, finding: Finding, edits: Iterable[Edit]) -> bool:
    """Whether all of a finding's fix is among edits."""
    try:
        return finding.fix is not None and set(own_edits(source, finding.fix)) <= set(edits)
    except RewriteDeclined:
        return False


def _is_edited(data: bytes, start: int) -> bool:
    """Whether a word of Python's is written out; the declaration of an option without one is not."""
    return begins_literal(data, start) or begins_number(data, start)
