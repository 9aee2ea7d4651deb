"""What an analysis collects beside the findings of its files, by the modes that were asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.hosting import DynamicShapes, Suppressions, dynamic_hints, is_chosen
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.choices import AnalysisMode
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

from ..examination import Examination
from ..files.places import input_directory
from ..index.sources.directories import project_directory
from ..index.view import ProjectFiles
from ..paths import is_directory, resolved
from .library.affected import Affected, Reached, reached_in
from .library.read import affected_of_library
from .packages import PackageUse, PackageUses

AFFINITY = "affinity"
"""The kind of the findings about what the NPU has one operator for."""
LIBRARY = "library"
"""The kind of the findings about packages of others."""


class ThirdParty(NamedTuple):
    """What the mode of that name finds."""

    affected: tuple[Affected, ...] = ()
    packages: tuple[PackageUse, ...] = ()


def in_modes(file: Examination, options: MigrationOptions) -> tuple[Finding, ...]:
    """The findings that the modes of the options ask for: of those of the file, and of the modes' own."""
    modes = options.analysis_modes
    found = tuple(finding for finding in file.findings if _mode_of(finding) in modes)
    return (*found, *_hints(file, options)) if AnalysisMode.DYNAMIC_SHAPE in modes else found


def _hints(file: Examination, options: MigrationOptions) -> list[Finding]:
    """What makes shapes dynamic, as far as the file shows it."""
    source = file.source
    is_wanted = is_chosen(DynamicShapes(), options.select, options.ignore)
    if not is_wanted or not isinstance(source, SourceFile) or file.problem is not None:
        return []
    return Suppressions(source, with_file=options.project_settings).keep(dynamic_hints(source))


def _mode_of(finding: Finding) -> AnalysisMode:
    if finding.is_advice:
        return AnalysisMode.ADVICE
    if finding.kind == AFFINITY:
        return AnalysisMode.AFFINITY_APIS
    return AnalysisMode.THIRD_PARTY if finding.kind == LIBRARY else AnalysisMode.TORCH_APIS


class Collector:
    """Sees each file of an analysis once, as it comes, and keeps what the modes need of it."""

    def __init__(self, path: Path, options: MigrationOptions) -> None:
        self._options = options
        place = resolved(path)
        self._given = path
        self._is_file = not is_directory(place)
        self._root = project_directory(place) if self._is_file else input_directory(path)
        self._is_wanted = AnalysisMode.THIRD_PARTY in options.analysis_modes
        self._reached: dict[str, tuple[tuple[Reached, int], ...]] = {}
        self._uses = PackageUses(ProjectFiles(self._root))

    def watch(self, files: Iterable[Examination]) -> Iterator[Examination]:
        """The same files, each with the findings that the modes ask for."""
        for file in files:
            if self._is_wanted:
                self._keep(file)
            yield attrs.evolve(file, findings=in_modes(file, self._options))

    def _keep(self, file: Examination) -> None:
        path = self.relative(file.path)
        reached = reached_in(file, path)
        if reached:
            self._reached[path] = reached
        self._uses.add(path, file)

    def relative(self, path: str) -> str:
        """A file's path within the project, with ``/``."""
        if self._is_file:
            return resolved(Path(path)).relative_to(self._root).as_posix()
        return Path(path).relative_to(self._given).as_posix()

    def third_party(self, jobs: int) -> ThirdParty:
        """What the files show together, once all have been seen."""
        if not self._is_wanted:
            return ThirdParty()
        affected = affected_of_library(
            self._root,
            self._reached,
            exclude=self._options.unexamined,
            max_bytes=self._options.max_file_bytes,
            jobs=jobs,
        )
        return ThirdParty(affected, self._uses.result())
