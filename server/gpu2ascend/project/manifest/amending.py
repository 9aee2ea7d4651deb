"""Changes a report that a migration wrote, together with what is recorded of it.

The list and the marker have digests, by which ``--force`` knows what may be deleted. A report is changed only
where it, the list and the marker are as they were written; nothing else in the list becomes another, so that
whatever a user changed is still found.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from ..leftovers import close_where_open_files_stay, leftovers_of, remove_leftover, temporary_sibling
from ..regular_files import open_regular
from .ledger import FILE, list_line, parsed_line
from .marker import LIST_NAME, MARKER_NAME, Marker, is_as_written, marker_bytes, read_marker


def amend_report(directory: Path, name: str, change: Callable[[bytes], bytes | None]) -> bool:
    """Give a report another content; says whether that was done.

    Args:
        directory: The output of a migration.
        name: Of the report, as the marker has it.
        change: Makes the new content from the old one; None leaves it.

    Raises:
        OSError: a file cannot be read or written.
    """
    marker = read_marker(directory)
    if marker is None or name not in marker.reports or not _is_finished(directory, marker):
        return False
    lines = _listed(directory, marker)
    old = _content(directory / name)
    position = lines.index(_entry(name, old)) if _entry(name, old) in lines else None
    new = change(old) if position is not None else None
    if position is None or new is None:
        return False
    lines[position] = _entry(name, new)
    listed = b"".join(lines)
    digest = hashlib.sha256(listed).hexdigest()
    amended = marker_bytes(marker._replace(list_digest=digest))
    _replace(directory, {name: new, LIST_NAME: listed, MARKER_NAME: amended})
    return True


def _is_finished(directory: Path, marker: Marker) -> bool:
    return marker.list_digest is not None and marker.staging is None and is_as_written(directory, marker)


def _listed(directory: Path, marker: Marker) -> list[bytes]:
    """The lines of the list; none where it is not the one that the marker is about."""
    with open_regular(directory / LIST_NAME, follow=False) as file:
        lines = list(file)
    if hashlib.sha256(b"".join(lines)).hexdigest() != marker.list_digest:
        return []
    return lines if all(parsed_line(line, 3) is not None for line in lines) else []


def _entry(name: str, content: bytes) -> bytes:
    return list_line(FILE, hashlib.sha256(content).hexdigest(), name)


def _content(path: Path) -> bytes:
    with open_regular(path, follow=False) as file:
        return file.read()


def _replace(directory: Path, contents: dict[str, bytes]) -> None:
    """Put files into the place of others: all are written before the first takes its place."""
    with ExitStack() as stack:
        made: dict[Path, tuple[Path, BinaryIO]] = {}
        for name, content in contents.items():
            place = directory / name
            for leftover in leftovers_of(place):
                remove_leftover(leftover)
            aside, file = made[place] = stack.enter_context(temporary_sibling(place))
            file.write(content)
            file.flush()
            aside.chmod(stat.S_IMODE(place.lstat().st_mode))
        for place, (aside, file) in made.items():
            close_where_open_files_stay(file)
            aside.replace(place)
