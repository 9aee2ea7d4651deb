"""A record of what a migration writes, so that nothing else is deleted when the output is replaced.

Two files in the output's top directory, with a line for each entry. The *list* has everything that was
written, with the SHA-256 of each file and of where each link leads; the marker has the SHA-256 of the list.
It is a separate file because it grows with the project: it is written line by line, and a command that only
looks for the marker does not read it. The *plan* has the names alone, each before it is written, so that
what a killed migration leaves can be distinguished from what a user put there; it goes when the output is
finished.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import attrs

from ..paths import join, shown
from ..regular_files import open_regular
from .marker import LIST_NAME, MARKER_NAME, PLAN_NAME, RESERVED_NAMES, is_as_written, read_marker
from .report_names import PART_SUFFIX, is_report_name

FILE, LINK, DIRECTORY = "file", "link", "directory"
_BLOCK = 1 << 20
_NAMED = 5
"""Names that a message lists."""


@attrs.frozen
class Differences:
    """What in a directory is not as a migration left it."""

    count: int
    names: tuple[str, ...]
    """The first of them, relative to the directory, as text that can be shown."""
    fingerprint: bytes
    """Of all names, sizes, times and inodes: another one as soon as anything is written there."""


class Ledger:
    """Records what is written into a directory. Its files are made with the first entry."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._list: BinaryIO | None = None
        self._plan: BinaryIO | None = None
        self._hash = hashlib.sha256()

    def plan(self, *paths: str) -> None:
        """Say what is going to be written: paths relative to the directory, with ``/``.
        Raises OSError: the plan cannot be written."""
        if self._plan is None:
            self._plan = (self._directory / PLAN_NAME).open("xb", buffering=0)
        for path in paths:
            self._plan.write(list_line(path))

    def file(self, path: str, digest: str) -> None:
        """A file was written; ``digest`` is that of its content, in hexadecimal digits.
        Raises OSError: the list cannot be written."""
        self._add(FILE, path, digest)

    def link(self, path: str) -> None:
        """A symbolic link was made. Raises OSError: it cannot be read, or the list cannot be written."""
        self._add(LINK, path, digest_of_link(join(str(self._directory), path)))

    def directory(self, path: str) -> None:
        """A directory was made. Raises OSError: the list cannot be written."""
        self._add(DIRECTORY, path, "")

    def present(self, *paths: str) -> None:
        """Files and directories that lie there as they are now.
        Raises OSError: one cannot be read, or the list cannot be written."""
        for path in paths:
            place = join(str(self._directory), path)
            if os.path.isdir(place):  # noqa: PTH112
                self.directory(path)
            else:
                self.file(path, digest_of_file(place))

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """Kind, digest and path of everything that was written so far.
        Raises OSError: the list cannot be read."""
        self._open_list().flush()
        with open_regular(self._directory / LIST_NAME, follow=False) as file:
            for line in file:
                kind, digest, path = parsed_line(line, 3) or ("", "", "")
                yield kind, digest, path

    def finish(self) -> str:
        """The output is complete; gives the digest of the list. Nothing can be added afterwards.
        Raises OSError: the list cannot be written."""
        self._open_list().flush()
        self.close()
        (self._directory / PLAN_NAME).unlink(missing_ok=True)
        return self._hash.hexdigest()

    def close(self) -> None:
        """Close the files, whether the output is complete or not."""
        for file in (self._list, self._plan):
            if file is not None:
                with suppress(OSError):
                    file.close()
        self._list = self._plan = None

    def _add(self, kind: str, path: str, digest: str) -> None:
        line = list_line(kind, digest, path)
        self._hash.update(line)
        self._open_list().write(line)

    def _open_list(self) -> BinaryIO:
        if self._list is None:
            self._list = (self._directory / LIST_NAME).open("xb")
        return self._list


def differences(directory: Path) -> Differences | None:
    """What in a directory of ours is not as its list says; None if it has no intact list."""
    listed = _read_list(directory)
    if listed is None:
        return None
    count, fingerprint = 0, hashlib.sha256()
    names: list[str] = []
    for path, status in _entries(directory, lambda path: listed.get(path, ("", ""))[0] == DIRECTORY):
        _stamp(fingerprint, path, status)
        if not _is_as_listed(directory, path, status, listed):
            count += 1
            if len(names) < _NAMED:
                names.append(shown(path))
    return Differences(count, tuple(names), fingerprint.digest())


def is_as_migrated(directory: Path, path: str, data: bytes | None = None) -> bool:
    """Whether a file in a directory of ours, by its path relative to it, is as the migration wrote it.

    Args:
        data: Counts in place of what the file holds.
    """
    listed = _read_list(directory) or {}
    kind, digest = listed.get(path, ("", ""))
    try:
        now = digest_of_file(join(str(directory), path)) if data is None else hashlib.sha256(data).hexdigest()
        return kind == FILE and now == digest
    except OSError:
        return False


def fingerprint_of(directory: Path, *, may_be_linked: bool = False) -> bytes:
    """The same fingerprint, without reading any file.

    Args:
        may_be_linked: Leave out what another name of a file changes.
    """
    fingerprint = hashlib.sha256()
    for path, status in _entries(directory, lambda path: True):
        _stamp(fingerprint, path, status, may_be_linked=may_be_linked)
    return fingerprint.digest()


def holds_only_planned(directory: Path) -> bool:
    """Whether everything in a directory that was being built is what its plan says, judged by names."""
    try:
        with open_regular(directory / PLAN_NAME, follow=False) as file:
            planned = {parsed[0] for line in file if (parsed := parsed_line(line, 1)) is not None}
    except FileNotFoundError:
        planned = set()
    except OSError:
        return False
    return all(
        (path in planned or path in RESERVED_NAMES or is_report_name(path.removesuffix(PART_SUFFIX)))
        and _kind(status) is not None
        for path, status in _entries(directory, lambda path: True)
    )


def _read_list(directory: Path) -> dict[str, tuple[str, str]] | None:
    """Kind and digest of everything that was written, by path."""
    marker = read_marker(directory)
    if marker is None or marker.list_digest is None or not is_as_written(directory, marker):
        return None
    listed: dict[str, tuple[str, str]] = {}
    whole = hashlib.sha256()
    try:
        with open_regular(directory / LIST_NAME, follow=False) as file:
            for line in file:
                whole.update(line)
                parsed = parsed_line(line, 3)
                if parsed is None:
                    return None
                kind, digest, path = parsed
                listed[path] = (kind, digest)
    except OSError:
        return None
    if whole.hexdigest() != marker.list_digest:
        return None
    return {**listed, MARKER_NAME: ("own", ""), LIST_NAME: ("own", "")}  # both have just been compared


def _is_as_listed(
    directory: Path, path: str, status: os.stat_result | None, listed: dict[str, tuple[str, str]]
) -> bool:
    kind, digest = listed.get(path, ("", ""))
    if kind == "own":
        return True
    if status is None or not kind or _kind(status) != kind:
        return False
    try:
        place = join(str(directory), path)
        if kind == FILE:
            return digest_of_file(place) == digest
        return kind == DIRECTORY or digest_of_link(place) == digest
    except OSError:
        return False


def _entries(directory: Path, enters: Callable[[str], bool]) -> Iterator[tuple[str, os.stat_result | None]]:
    """Everything below a directory by path, with what the system says of it; no link is followed."""
    pending = [""]
    while pending:
        relative = pending.pop()
        try:
            with os.scandir(join(str(directory), relative)) as scan:
                found = sorted(scan, key=lambda item: item.name)
        except OSError:
            yield relative, None
            continue
        for item in found:
            path = f"{relative}/{item.name}" if relative else item.name
            try:
                status = item.stat(follow_symlinks=False)
            except OSError:
                yield path, None
                continue
            yield path, status
            if stat.S_ISDIR(status.st_mode) and enters(path):
                pending.append(path)


def _kind(status: os.stat_result | None) -> str | None:
    if status is None:
        return None
    kinds = {stat.S_IFREG: FILE, stat.S_IFLNK: LINK, stat.S_IFDIR: DIRECTORY}
    return kinds.get(stat.S_IFMT(status.st_mode))


def _stamp(
    fingerprint: hashlib._Hash, path: str, status: os.stat_result | None, *, may_be_linked: bool = False
) -> None:
    values: tuple[int, ...] = ()
    if status is not None:
        values = (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns)
        values += () if may_be_linked else (status.st_ctime_ns,)
    fingerprint.update(list_line(path, *map(str, values)))


def digest_of_file(path: str) -> str:
    """The SHA-256 of a regular file. Raises OSError: it cannot be read."""
    with open_regular(path, follow=False) as file:
        digest = hashlib.sha256()
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def digest_of_link(path: str) -> str:
    """The SHA-256 of where a link leads. Raises OSError: it cannot be read."""
    return hashlib.sha256(os.fsencode(os.readlink(path))).hexdigest()  # noqa: PTH115


def list_line(*values: str) -> bytes:
    """A line of a list: texts as one line of ASCII, whatever bytes the names hold."""
    return (json.dumps(values, ensure_ascii=True, separators=(",", ":")) + "\n").encode("ascii")


def parsed_line(line: bytes, count: int) -> list[str] | None:
    """The texts of a line of a list; None for what is no such line."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_whole = isinstance(values, list) and len(values) == count
    return values if is_whole and all(isinstance(value, str) for value in values) else None
