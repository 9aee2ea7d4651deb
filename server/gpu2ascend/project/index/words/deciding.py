"""What the program decides about the words of a project, with the files beside Python that give them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from gpu2ascend_rules.hosting import Program, ProjectFilesView, silenced_words
from gpu2ascend_rules.model.project.decisions import NOTHING_DECIDED, Outcome, Place, ProjectDecisions
from gpu2ascend_rules.options.options import MigrationOptions, OptionError

from ...errors import ProjectError, traceback_of
from ...files.discover import EntryKind, walk
from ...files.editable import Editable
from ...files.excludes import Excludes
from ..sources.project_texts import ProjectTexts


class GivingFile(NamedTuple):
    """A script, container file or configuration that names an input."""

    path: str
    data: bytes
    names: tuple[str, ...]
    """As of :attr:`gpu2ascend_rules.model.project.decisions.ProjectDecisions.options`."""

    def place_of(self, name: str) -> Place:
        """Where it names an input first."""
        start = self.data.index(name.strip("$").encode())
        return Place(self.path, self.data.count(b"\n", 0, start) + 1)


class Undecided(ProjectFilesView, Protocol):
    """A project of which nothing is decided yet."""

    def may_be_rewritten(self, path: str) -> bool:
        """Whether fixes can be made in a file."""

    def giving_files(
        self, names: Collection[str], is_asked: Callable[[str], bool] = ...
    ) -> Iterator[GivingFile]:
        """See :func:`giving_files`."""

    def go_on_from(self, before: ProjectFilesView | None) -> None:
        """Note from now on which texts are read, and take over from an earlier state of the project what is
        true of this one, or is found not to be when it is asked for."""


def giving_files(
    root: Path, texts: ProjectTexts, names: Collection[str], is_asked: Callable[[str], bool]
) -> Iterator[GivingFile]:
    """The files below a directory that name some inputs, in the order of their paths.

    Args:
        is_asked: Whether a file, by its path in the project, is to be read.
    """
    with suppress(OSError):
        for entry in walk(root, Excludes(())) if names else ():
            if entry.kind is EntryKind.TEXT and is_asked(entry.path):
                data = (texts.text_at(entry.path) or "").encode("utf-8", "surrogatepass")
                found = tuple(name for name in sorted(names) if name.strip("$").encode() in data)
                if found:
                    yield GivingFile(entry.path, data, found)


def decide(
    project: Undecided, program: Program, editable: Editable | None, options: MigrationOptions
) -> ProjectDecisions:
    """The decisions; nothing where a defect of ours ends them, so that each file still shows its own.

    Args:
        program: That of the project.
        editable: The files that may be edited, where those are not all.
    """

    def may_edit(path: str) -> bool:
        return (editable is None or editable.allows(path)) and project.may_be_rewritten(path)

    try:
        decided = program.decisions(may_edit)
        silenced = silenced_words(decided, project.python_at, options)
        decided = decided.holding(silenced, silenced) if silenced else decided
        return decided if editable is None else _held_by_files(decided, project, may_edit)
    except (OptionError, ProjectError):
        raise
    except Exception as error:
        import logging

        logging.getLogger("gpu2ascend").error(
            "gpu2ascend: error: words are decided file by file, because of an internal error: %s: %s. "
            "Please report it\n%s",
            type(error).__name__,
            error,
            traceback_of(error),
        )
        return NOTHING_DECIDED


def _held_by_files(
    decided: ProjectDecisions, project: Undecided, may_edit: Callable[[str], bool]
) -> ProjectDecisions:
    """The decisions where the words of a unit stay that is given an old word by a file which may not be
    edited."""
    moving = {
        name: number
        for number, unit in enumerate(decided.units)
        for name in unit.flags
        if unit.outcome is Outcome.MOVES
    }
    places: dict[int, tuple[Place, ...]] = {}
    for file in project.giving_files(moving, lambda path: not may_edit(path)):
        for name in file.names:
            if _has_old_word(file.data, decided.options, name):
                number = moving[name]
                places[number] = (*places.get(number, ()), file.place_of(name))
    return decided.holding(places, places) if places else decided


def _has_old_word(data: bytes, moved: Mapping[str, frozenset[str]], name: str) -> bool:
    return any(word.partition(":")[0].encode() in data for word in moved.get(name, ()))
