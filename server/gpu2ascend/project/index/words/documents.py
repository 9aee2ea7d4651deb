"""What the documents of a project still say of options whose values a migration changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.hosting import given_words, is_moved

from ...files.discover import EntryKind, walk
from ...files.excludes import Excludes
from ...files.writing.copying import MAX_BYTES, UnreadableError, read_file
from ...paths import join

_SUFFIXES = (".md", ".rst", ".txt", ".adoc", ".html")
_NO_DOCUMENTS = re.compile(r"requirements|constraints|CMakeLists", re.I)
_MOST_PLACES = 20


class DocumentedOption(NamedTuple):
    """An option, setting or variable with the word that it no longer takes, and where documents show both."""

    flag: str
    word: str
    places: tuple[str, ...]
    """As ``path:line``, in the order of the paths."""


def documented_options(root: Path, moved: Mapping[str, frozenset[str]]) -> tuple[DocumentedOption, ...]:
    """The options, settings and variables of which documents below a directory still show the old word.

    Args:
        moved: The words that they no longer take, by their names in the project.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for path, data in _documents(root) if moved else ():
        for known, word in given_words(data):
            if is_moved(known, word.value, moved):
                line = data.count(b"\n", 0, word.start) + 1
                found.setdefault((word.name, word.value), []).append(f"{path}:{line}")
    return tuple(
        DocumentedOption(*key, tuple(places[:_MOST_PLACES])) for key, places in sorted(found.items())
    )


def _documents(root: Path) -> Iterator[tuple[str, bytes]]:
    with suppress(OSError):
        for entry in walk(root, Excludes(())):
            name = entry.path.rpartition("/")[2]
            is_document = name.lower().endswith(_SUFFIXES) and not _NO_DOCUMENTS.search(name)
            if is_document and entry.kind in (EntryKind.OTHER, EntryKind.TEXT):
                with suppress(UnreadableError):
                    yield entry.path, read_file(join(str(root), entry.path), MAX_BYTES).data
