"""What a rule can ask while it looks at a file of a kind beside Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar, cast

from ...facts import Facts
from ...kinds.kind import KindFile
from ...model.project.project_view import ProjectView
from ...model.versions import Version
from ...options.options import MigrationOptions

_T = TypeVar("_T")


class PlaceContext:
    """One file under one set of options. Raises OptionError: the options choose no version."""

    def __init__(self, file: KindFile, options: MigrationOptions, project: ProjectView) -> None:
        self.file = file
        self.options = options
        self.project = project
        self.version: Version = options.require_version()
        self.reported: list[tuple[int, int]] = []
        """The spans of the findings so far."""
        self._answers: dict[object, object] = {}

    def once(self, key: object, compute: Callable[[], _T]) -> _T:
        """What ``compute`` gives, computed for a key at most once in this file."""
        if key not in self._answers:
            self._answers[key] = compute()
        return cast(_T, self._answers[key])

    @cached_property
    def facts(self) -> Facts:
        """Names and support for the chosen version and hardware."""
        return Facts.load(self.version, self.options.hardware)
