"""Which script of a project starts the training: what forms, commands and reports propose."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ..files.content.notebooks import is_notebook
from ..files.discover import EntryKind as FileKind
from ..files.discover import walk
from ..files.excludes import Excludes
from .facts.collected import ProgramFacts, program_facts
from .model import Entry, EntryKind
from .programs import Programs

PROPOSED = 5
"""So many scripts are proposed at most."""
PLACEHOLDER = "SCRIPT.py"
"""Stands in a command for the script that nobody but the user knows."""
_USUAL = ("train.py", "main.py", "run.py", "tools/train.py", "scripts/train.py", "src/train.py")
"""Where a project usually has the script that trains; its text need not show it."""
_LOOKED_AT = 2_000
"""Files that are read: a form must not wait for a large project."""


def main_file_candidates(root: Path, exclude: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Scripts that may start the training, the likeliest first, with ``/`` and relative to the project.

    They are the entries that train; without any, nothing is proposed.
    """
    return scripts_that_train(Programs(root, _facts(root, exclude)))[:PROPOSED]


def entry_candidates(root: Path, exclude: tuple[str, ...] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same scripts, and the entries that a user may choose, in the same order: those that train,
    notebooks too; without any, other programs."""
    programs = Programs(root, _facts(root, exclude))
    kinds = (EntryKind.TRAINING, EntryKind.OTHER)
    lists = ([entry.path for entry in programs.entries if entry.kind is kind] for kind in kinds)
    return scripts_that_train(programs)[:PROPOSED], tuple(next(filter(None, lists), ()))[:PROPOSED]


def scripts_that_train(programs: Programs) -> tuple[str, ...]:
    """The entries that train and are scripts, best first."""
    return tuple(entry.path for entry in programs.entries if _is_script(entry))


def training_script(programs: Programs, main_file: str | None = None) -> str:
    """The script that a command for the project names; :data:`PLACEHOLDER` where none is evident.

    Args:
        main_file: What the user has named as the script that starts the training.
    """
    usual = (path for path in _USUAL if path in programs)
    return main_file or next(iter((*scripts_that_train(programs), *usual)), PLACEHOLDER)


def python_files(root: Path, exclude: tuple[str, ...] = ()) -> Iterator[str]:
    """The Python files of a project that a form looks at, relative to it and with ``/``."""
    try:
        entries = (entry for entry in walk(root, Excludes(exclude)) if entry.kind is FileKind.PYTHON)
        for entry in islice(entries, _LOOKED_AT):
            if not is_notebook(entry.path):
                yield entry.path
    except OSError:
        return


def _facts(root: Path, exclude: tuple[str, ...]) -> ProgramFacts:
    try:
        return program_facts(root, exclude, _LOOKED_AT)
    except OSError:
        return ProgramFacts()


def _is_script(entry: Entry) -> bool:
    return entry.kind is EntryKind.TRAINING and not is_notebook(entry.path)
