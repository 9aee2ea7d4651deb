"""Reads the files of a library, each once, on as many cores as are worth it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import attrs

from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.text.source_file import SourceFile

from ...files.content.encoding import NotTextError, decode
from ...files.discover import EntryKind, walk
from ...files.excludes import Excludes
from ...files.writing.copying import UnreadableError, read_file
from ...index.survey import worker_count
from ...paths import join
from ...processes.workers import Todo, ordered_map
from .affected import Affected, Reached, affected_functions
from .units import ModuleUnits, module_name, units_of

_INIT = "__init__.py"
_SETUP = "setup.py"


@attrs.frozen
class _UnitsJob:
    """What a file defines; nothing of one that cannot be read in time."""

    root: str
    top: str
    roots: frozenset[str]
    max_bytes: int

    def __call__(self, path: str) -> ModuleUnits | None:
        try:
            with time_limit():
                text = decode(read_file(join(self.root, path), self.max_bytes).data).text
                return units_of(SourceFile(text, path), self.roots, self.top)
        except (UnreadableError, NotTextError, TimeLimitError):
            return None

    def give_up(self, path: str) -> ModuleUnits | None:
        """The result for a file on which a worker process died each time."""
        return None


def affected_of_library(
    root: Path,
    found: Mapping[str, tuple[tuple[Reached, int], ...]],
    *,
    exclude: tuple[str, ...] = (),
    max_bytes: int,
    jobs: int = 0,
) -> tuple[Affected, ...]:
    """The public functions of a project that reach one of the places that were found in it.

    Args:
        root: The project's directory, without links; if it is a package itself, its name begins all names.
        found: By file, relative to the root, where APIs are used, each with its offset.
    """
    if not any(found.values()):
        return ()
    top = root.name if (root / _INIT).is_file() else ""
    entries = [entry for entry in walk(root, Excludes(exclude)) if _is_module(entry.kind, entry.path)]
    roots = frozenset(module_name(entry.path, top).partition(".")[0] for entry in entries)
    job = _UnitsJob(str(root), top, roots, max_bytes)
    workers = worker_count(jobs, sum(entry.size for entry in entries), len(entries))
    answers = ordered_map(job, (Todo(entry.path) for entry in entries), workers)
    with closing(answers):
        return affected_functions(_known(answers), found)


def _known(answers: Iterator[ModuleUnits | None]) -> Iterator[ModuleUnits]:
    return (answer for answer in answers if answer is not None)


def _is_module(kind: EntryKind, path: str) -> bool:
    """Whether users of the library may import a file: the script that installs it they cannot."""
    return kind is EntryKind.PYTHON and path.endswith(".py") and path != _SETUP
