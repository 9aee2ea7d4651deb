"""The dynamic symbols of a shared library (ELF, 64 bit, little endian), read without any tool."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_ENTRY = struct.Struct("<qQ")
_DYNAMIC, _SYMBOLS, _VERSIONS = 6, 11, 0x6FFFFFFF
_NEEDED = 1
_WEAK = 2
_FIRST_VERSION = 2
"""Numbers below it say that a symbol has no version."""


class NotElf(ValueError):
    """A file is no shared library of the kind that this module reads."""


class Symbol(NamedTuple):
    """A dynamic symbol."""

    name: str
    is_defined: bool
    is_weak: bool
    is_versioned: bool
    """Whether it is asked for with a version, as the system's libraries have them."""


class _Section(NamedTuple):
    kind: int
    offset: int
    size: int
    link: int


class Library:
    """A shared library.

    Raises:
        NotElf: the file is no ELF library.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            try:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError as error:
                raise NotElf(f"{path} is empty") from error
        if self._data[:6] != b"\x7fELF\x02\x01":
            raise NotElf(f"{path} is no 64-bit library")
        try:
            self._sections = list(self._read_sections())
        except struct.error as error:
            raise NotElf(f"{path} is cut off") from error

    def _read_sections(self) -> Iterator[_Section]:
        header = _HEADER.unpack_from(self._data)
        offset, size, count = header[6], header[11], header[12]
        for index in range(count):
            _, kind, _, _, begin, length, link, *_ = _SECTION.unpack_from(self._data, offset + index * size)
            yield _Section(kind, begin, length, link)

    def _of_kind(self, kind: int) -> _Section | None:
        return next((section for section in self._sections if section.kind == kind), None)

    def _text(self, strings: _Section, at: int) -> str:
        begin = strings.offset + at
        return self._data[begin : self._data.find(b"\0", begin)].decode("ascii", "replace")

    def needed(self) -> list[str]:
        """The names of the libraries that it wants."""
        dynamic = self._of_kind(_DYNAMIC)
        if dynamic is None:
            return []
        strings = self._sections[dynamic.link]
        data = self._data[dynamic.offset : dynamic.offset + dynamic.size]
        return [self._text(strings, value) for tag, value in _ENTRY.iter_unpack(data) if tag == _NEEDED]

    def symbols(self) -> Iterator[Symbol]:
        """What it defines for others, and what it expects others to define."""
        table = self._of_kind(_SYMBOLS)
        if table is None:
            return
        strings, versions = self._sections[table.link], self._of_kind(_VERSIONS)
        data = self._data[table.offset : table.offset + table.size]
        for index, (name, info, _, section, _, _) in enumerate(_SYMBOL.iter_unpack(data)):
            if name:
                version = 0 if versions is None else self._version(versions, index)
                is_weak = info >> 4 == _WEAK
                yield Symbol(self._text(strings, name), section != 0, is_weak, version >= _FIRST_VERSION)

    def _version(self, versions: _Section, index: int) -> int:
        at = versions.offset + 2 * index
        return int.from_bytes(self._data[at : at + 2], "little") & 0x7FFF
