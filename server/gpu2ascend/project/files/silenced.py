"""What a project keeps from being examined or reported, by its own settings and comments: counted and named.

What the user chooses, on the command line or in an editor, is no concern of this.
"""

from __future__ import annotations

import enum
from pathlib import Path

import attrs

from gpu2ascend_rules.engine.dispatch import chosen_codes
from gpu2ascend_rules.engine.suppressions import Silenced
from gpu2ascend_rules.model.finding import Message, OptionName
from gpu2ascend_rules.options.options import MigrationOptions, option_name

from ..paths import shown
from .discover import Entry, EntryKind, may_be_source
from .excludes import Excludes

_NAMED = 20
"""Paths of a way that are named."""
_OPTION = option_name("project_settings")._replace(flag="--no-project-settings")
_OTHER_RULES = ("CUS", "ADV")
"""Beginnings of the codes of rules that the user writes, and of advice."""
_OF_RULES = ("select", "ignore", "severities")


class Way(enum.Enum):
    """How a project silences something, by the message that says so."""

    FILE_COMMENT = "project.silenced-comment"
    LINE_COMMENT = "project.silenced-line"
    EXCLUDE = "project.silenced-exclude"
    COPY = "project.silenced-copy"

    @property
    def setting(self) -> str:
        """The option that it is by, if it is."""
        return {Way.EXCLUDE: "exclude", Way.COPY: "copy"}.get(self, "")


@attrs.define
class _Paths:
    count: int = 0
    findings: int = 0
    names: list[str] = attrs.field(factory=list)

    def add(self, path: str, findings: int = 0) -> None:
        self.count += 1
        self.findings += findings
        if len(self.names) < _NAMED:
            self.names.append(path)

    @property
    def listed(self) -> str:
        return ", ".join(self.names) + (", …" if self.count > len(self.names) else "")


@attrs.define
class SilencedByProject:
    """Collects what a project silences. What it holds does not grow with the project."""

    options: MigrationOptions
    _found: dict[Way, _Paths] = attrs.field(factory=dict)

    def add_file(self, path: str, counts: Silenced) -> None:
        """Note what the comments of a file silence, by its path as it can be shown."""
        for way, findings in ((Way.FILE_COMMENT, counts.in_file), (Way.LINE_COMMENT, counts.on_lines)):
            if findings:
                self._found.setdefault(way, _Paths()).add(path, findings)

    def look_at(self, root: Path, entry: Entry, path: str | None = None) -> None:
        """Note an entry that the project's settings keep from being examined, if it may be a source.

        Args:
            path: How it is shown, if not as in the project.
        """
        way = self._way_of(entry)
        if way is not None and may_be_source(root, entry):
            self._found.setdefault(way, _Paths()).add(path or shown(entry.path))

    def add_named(self, relative: str, path: str) -> None:
        """Note a file that was named and is not examined; ``relative`` is its path within the project."""
        if self._is_of_project("exclude") and Excludes(self.options.exclude).match(relative):
            self._found.setdefault(Way.EXCLUDE, _Paths()).add(path)
        elif self._is_of_project("copy") and Excludes(self.options.copy).match(relative):
            self._found.setdefault(Way.COPY, _Paths()).add(path)

    @property
    def sources(self) -> int:
        """How many files, and directories with files, are not examined or have findings that no one sees."""
        ways = (Way.FILE_COMMENT, Way.EXCLUDE, Way.COPY)
        return sum(self._found[way].count for way in ways if way in self._found) + self._hides_all

    def chosen_by(self, setting: str) -> Message | OptionName:
        """What chose the value of an option: a flag or a form, or a file of the project."""
        file = dict(self.options.of_project).get(setting)
        if file is None:
            return option_name(setting)
        return Message.of("project.setting-of-project", setting=setting, file=file)

    def messages(self) -> tuple[Message, ...]:
        """A line for each way."""
        return (*self._of_paths(), *self._of_rules())

    def _of_paths(self) -> list[Message]:
        lines = []
        for way in Way:
            found = self._found.get(way)
            if found is None:
                continue
            file = dict(self.options.of_project).get(way.setting, "")
            lines.append(
                Message.of(
                    way.value,
                    count=found.count,
                    findings=found.findings,
                    names=found.listed,
                    file=file,
                    option=_OPTION,
                )
            )
        return lines

    def _of_rules(self) -> list[Message]:
        lines = []
        for setting, file in self.options.of_project:
            values = getattr(self.options, setting) if setting in _OF_RULES else ()
            if values:
                text = ", ".join(values)
                lines.append(
                    Message.of(
                        "project.silenced-rules", setting=setting, file=file, values=text, option=_OPTION
                    )
                )
        return lines

    @property
    def _hides_all(self) -> bool:
        """Whether the project's settings leave no rule, so that no source is examined."""
        if not any(self._is_of_project(setting) for setting in ("select", "ignore")):
            return False
        chosen = chosen_codes(self.options.route, self.options.select, self.options.ignore)
        examining = (code for code in chosen if not code.startswith(_OTHER_RULES))
        return not any(self.options.route.owns(code) for code in examining)

    def _way_of(self, entry: Entry) -> Way | None:
        if entry.kind is EntryKind.OMITTED:
            return Way.EXCLUDE if self._is_of_project("exclude") else None
        if entry.kind in (EntryKind.EXCLUDED, EntryKind.OTHER) and self._is_of_project("copy"):
            return Way.COPY if Excludes((), self.options.copy).match(entry.path) else None
        return None

    def _is_of_project(self, setting: str) -> bool:
        return any(name == setting for name, _ in self.options.of_project)
