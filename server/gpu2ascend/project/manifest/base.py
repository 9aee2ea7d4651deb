"""The base of later updates: what a migration wrote, kept compressed in its own output.

A ZIP archive with an index and the texts. The index has the options and, of each entry, the digest, so that
a file without text there (it is large, or no text) can still be known from a changed one. Anybody can write
such an archive: every digest is compared, and no more is read than a text may hold.
"""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..paths import join
from ..regular_files import content_of, open_regular
from .marker import FOLDER_NAME

BASE_NAME = f"{FOLDER_NAME}/base.zip"
_INDEX = "base.json"
_FORMAT = 1
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member: the same migration writes the same bytes."""
MAX_TEXT = 8_000_000
"""Bytes of a file that is merged by lines; of a larger one only the digest is kept."""
_MAX_INDEX = 64_000_000
_SAMPLE = 8000
_LEVEL = 1
"""Of compression: the highest speed, in a quarter of the usual time and a seventh more bytes."""


class Kept(NamedTuple):
    """An entry as the migration wrote it."""

    kind: str
    """As in the list of :mod:`.ledger`."""
    digest: str
    mode: int
    member: str | None
    """The name of its text in the archive; None where that is not kept."""


class DamagedBaseError(Exception):
    """An archive is not as a migration of ours wrote it."""


class Base:
    """What the last migration wrote. Read by :func:`read_base`."""

    def __init__(self, path: Path, options: Mapping[str, object], entries: dict[str, Kept]) -> None:
        self._path = path
        self.options = options
        self.entries = entries

    def text(self, path: str) -> bytes | None:
        """The text of an entry; None where none is kept.
        Raises DamagedBaseError: it is not the one that was written."""
        kept = self.entries[path]
        if kept.member is None:
            return None
        data = _member(self._path, kept.member, MAX_TEXT)
        if hashlib.sha256(data).hexdigest() != kept.digest:
            raise DamagedBaseError
        return data


def write_base(
    directory: Path, entries: Iterable[tuple[str, str, str]], options: Mapping[str, object]
) -> int:
    """Keep what was written into a directory; gives the size of the archive in bytes.

    Args:
        entries: Kind, digest and path of each entry, as in the list of :mod:`.ledger`.

    Raises:
        OSError: a file cannot be read, or the archive not be written.
    """
    path = join(str(directory), BASE_NAME)
    Path(path).parent.mkdir(exist_ok=True)
    rows: list[list[object]] = []
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        for kind, digest, name in entries:
            place = Path(join(str(directory), name))
            data = _text_of(place) if kind == "file" else None
            member = str(len(rows)) if data is not None else None
            if data is not None and member is not None:
                _put(archive, member, data)
            rows.append([name, kind, digest, stat.S_IMODE(place.lstat().st_mode), member])
        index = {"format": _FORMAT, "options": dict(options), "entries": rows}
        _put(archive, _INDEX, json.dumps(index, ensure_ascii=True, separators=(",", ":")).encode("ascii"))
    return Path(path).stat().st_size


def read_base(directory: Path) -> Base:
    """What the migration of a directory kept.

    Raises:
        FileNotFoundError: nothing.
        DamagedBaseError: the archive is not as it was written.
    """
    path = Path(join(str(directory), BASE_NAME))
    if not path.parent.is_dir() or path.parent.is_symlink() or not (path.is_file() or path.is_symlink()):
        raise FileNotFoundError(path)
    try:
        content = json.loads(_member(path, _INDEX, _MAX_INDEX))
        if content["format"] != _FORMAT:
            raise DamagedBaseError
        entries = {name: _kept(*rest) for name, *rest in content["entries"]}
        options = dict(content["options"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedBaseError from error
    return Base(path, options, entries)


def is_text(data: bytes) -> bool:
    """Whether a file with this content can be merged by lines."""
    return b"\0" not in data[:_SAMPLE] and not data.startswith(b"version https://git-lfs")


def _text_of(path: Path) -> bytes | None:
    if path.lstat().st_size > MAX_TEXT:
        return None
    with open_regular(path) as file:
        head = file.read(_SAMPLE)
        return head + content_of(file, path, MAX_TEXT) if is_text(head) else None


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED, _LEVEL)


def _member(path: Path, name: str, limit: int) -> bytes:
    try:
        with open_regular(path, follow=False) as file, zipfile.ZipFile(file) as archive:
            if archive.getinfo(name).file_size > limit:
                raise DamagedBaseError
            return archive.read(name)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError, RuntimeError) as error:
        raise DamagedBaseError from error


def _kept(kind: object, digest: object, mode: object, member: object) -> Kept:
    if not (isinstance(kind, str) and isinstance(digest, str) and isinstance(mode, int)):
        raise DamagedBaseError
    if member is not None and not isinstance(member, str):
        raise DamagedBaseError
    return Kept(kind, digest, stat.S_IMODE(mode), member)
