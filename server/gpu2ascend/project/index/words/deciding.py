"""What the program decides about the words of a project, with the files beside Python that give them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from gpu2ascend_rules.hosting import Program, ProjectFilesView, Silences, silenced_words
from gpu2ascend_rules.model.project.decisions import NOTHING_DECIDED, Outcome, Place, ProjectDecisions
from gpu2ascend_rules.options.options import MigrationOptions, OptionError

from ...errors import ProjectError, traceback_of
from ...files.discover import EntryKind, walk
from ...files.excludes import Editable, Excludes
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
        silenced = silenced_words(decided, project, options)
        decided = decided.holding(silenced, silenced) if silenced else decided
        return _held_by_files(decided, project, may_edit, Silences(options, project))
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
    decided: ProjectDecisions, project: Undecided, may_edit: Callable[[str], bool], silences: Silences
) -> ProjectDecisions:
    """The decisions where the words of a unit stay that is given an old word by a file which may not be
    edited, or not there."""
    moving: dict[str, list[int]] = {}
    for number, unit in enumerate(decided.units):
        for name in unit.flags if unit.outcome is Outcome.MOVES else ():
            moving.setdefault(name, []).append(number)
    places: dict[int, tuple[Place, ...]] = {}
    for file in project.giving_files(
        moving, lambda path: not may_edit(path) or silences.may_keep_given(path)
    ):
        for name in file.names:
            words = frozenset(word.partition(":")[0] for word in decided.options.get(name, ()))
            for place in _kept(file, name, words, may_edit, silences):
                for number in moving[name]:
                    places[number] = (*places.get(number, ()), place)
    return decided.holding(places, places) if places else decided


def _kept(
    file: GivingFile, name: str, words: Collection[str], may_edit: Callable[[str], bool], silences: Silences
) -> Iterable[Place]:
    """Where a file that names an input keeps one of the words which that no longer takes."""
    if may_edit(file.path):
        return silences.given(file.path, file.data.decode("utf-8", "surrogatepass"), words)
    return (file.place_of(name),) if any(word.encode() in file.data for word in words) else ()
