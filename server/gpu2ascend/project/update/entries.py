"""What lies in an output now, and what of it is people's own."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message

from ..errors import OutputError, reason
from ..files.discover import is_tools
from ..manifest.base import BASE_NAME, MAX_TEXT, Kept, is_text
from ..manifest.ledger import DIRECTORY, FILE, LINK, digest_of_file, digest_of_link
from ..manifest.marker import FOLDER_NAME, RESERVED_NAMES
from ..paths import join, shown
from ..regular_files import read_regular


class Present(NamedTuple):
    """What lies in an output."""

    entries: dict[str, Kept]
    """Files, links and directories by path."""
    carried: tuple[str, ...]
    """Directories of tools, pipes and sockets, which are carried over as they are."""


def present_in(directory: Path, reports: Collection[str], known: Collection[str]) -> Present:
    """Look at an output, without its reports and the files about it.

    Args:
        known: Paths that a migration wrote, which are looked at whatever they have become.

    Raises:
        OutputError: something of it cannot be read.
    """
    entries: dict[str, Kept] = {}
    carried: list[str] = []
    left_out = {*reports, *RESERVED_NAMES, BASE_NAME}
    for path, status in _walk(str(directory), left_out, {*known, FOLDER_NAME}, carried):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode))
        if kind is None:
            carried.append(path)
            continue
        place = join(str(directory), path)
        try:
            entries[path] = Kept(kind, _digest(kind, place), stat.S_IMODE(status.st_mode), None)
        except OSError as error:
            raise _unreadable(directory, path, error) from error
    return Present(entries, tuple(carried))


def text_in(directory: Path, path: str) -> bytes | None:
    """The text of a file; None where it is large or no text. Raises OutputError: it cannot be read."""
    place = Path(join(str(directory), path))
    try:
        if place.lstat().st_size > MAX_TEXT:
            return None
        data = read_regular(place, MAX_TEXT)
    except OSError as error:
        raise _unreadable(directory, path, error) from error
    return data if is_text(data) else None


_KINDS = {stat.S_IFREG: FILE, stat.S_IFLNK: LINK, stat.S_IFDIR: DIRECTORY}


def _walk(
    directory: str, left_out: Collection[str], known: Collection[str], carried: list[str]
) -> Iterator[tuple[str, os.stat_result]]:
    pending = [""]
    while pending:
        relative = pending.pop()
        try:
            with os.scandir(join(directory, relative)) as scan:
                found = [(item.name, item.stat(follow_symlinks=False)) for item in scan]
        except OSError as error:
            raise _unreadable(Path(directory), relative, error) from error
        for name, status in sorted(found, key=lambda it: it[0]):
            path = f"{relative}/{name}" if relative else name
            if path in left_out:
                continue
            if path not in known and is_tools(join(directory, path)):
                carried.append(path)
                continue
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                pending.append(path)


def _digest(kind: str, place: str) -> str:
    if kind == FILE:
        return digest_of_file(place)
    return digest_of_link(place) if kind == LINK else ""


def _unreadable(directory: Path, path: str, error: OSError) -> OutputError:
    place = shown(join(str(directory), path))
    return OutputError(Message.of("update.unreadable", path=place, reason=reason(error)))
