"""Which scripts of a project may be the one that starts the training: what a form proposes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ..files.discover import EntryKind, walk
from ..files.excludes import Excludes
from ..files.notebooks import is_notebook
from ..paths import is_file
from ..regular_files import open_inside

PROPOSED = 5
"""So many scripts are proposed at most."""
PLACEHOLDER = "SCRIPT.py"
"""Stands in a command for the script that nobody but the user knows."""
_USUAL = ("train.py", "main.py", "run.py", "tools/train.py", "scripts/train.py", "src/train.py")
"""Where a project usually has the script that trains; its text need not show it."""
_LOOKED_AT = 2_000
"""Files that are read: a form must not wait for a large project."""
_BYTES = 200_000
"""Of each file."""
_MAIN_BLOCK = re.compile(rb"^if\s+__name__\s*==\s*[\"']__main__[\"']", re.MULTILINE)
_TRAINING = (b".backward(", b"optimizer", b"DataLoader", b"argparse")
_NAMES = re.compile(r"(?:^|[_-])(?:pre|fine)?(?:train|tune|main)", re.IGNORECASE)
_NO_TRAINING = re.compile(r"(?:^|[/_-])(?:tests?|conftest|setup|docs?|eval\w*|infer\w*|export)(?:[/_.-]|$)")


def main_file_candidates(root: Path, exclude: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Scripts that may start the training, the likeliest first, with ``/`` and relative to the project.

    Without evidence in its text no file is proposed, whatever it is called.
    """
    scripts = ((path, _text(root, path)) for path in python_files(root, exclude))
    found = [(-_score(path, text), path.count("/"), path) for path, text in scripts]
    return tuple(path for score, _, path in sorted(found)[:PROPOSED] if score < 0)


def training_script(root: Path, main_file: str | None = None, exclude: tuple[str, ...] = ()) -> str:
    """The script that a command for the project names; :data:`PLACEHOLDER` where none is evident.

    Args:
        main_file: What the user has named as the script that starts the training.
    """
    if main_file:
        return main_file
    usual = tuple(path for path in _USUAL if is_file(root / path))
    return next(iter((*main_file_candidates(root, exclude), *usual)), PLACEHOLDER)


def python_files(root: Path, exclude: tuple[str, ...] = ()) -> Iterator[str]:
    """The Python files of a project that a form looks at, relative to it and with ``/``."""
    try:
        entries = (entry for entry in walk(root, Excludes(exclude)) if entry.kind is EntryKind.PYTHON)
        for entry in islice(entries, _LOOKED_AT):
            if not is_notebook(entry.path):
                yield entry.path
    except OSError:
        return


def _text(root: Path, path: str) -> bytes:
    try:
        with open_inside(root, root / path) as file:
            return file.read(_BYTES)
    except OSError:
        return b""


def _score(path: str, text: bytes) -> int:
    """How much speaks for a script; a file that neither trains nor can be started has nothing."""
    evidence = sum(word in text for word in _TRAINING)
    starts = _MAIN_BLOCK.search(text) is not None or b"\nmain(" in text
    if not (starts and evidence) and b".backward(" not in text:
        return 0
    named = 3 if _NAMES.search(path.rpartition("/")[2]) else 0
    doubt = 4 if _NO_TRAINING.search(path.lower()) else 0
    return max(0, evidence + 2 * starts + named - doubt)
