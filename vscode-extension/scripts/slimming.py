"""Empties the parts of a native module that only debuggers read.

The sections stay where they are, so nothing that the loader reads moves; zeros take no room in a package.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_ELF64_LITTLE = b"\x7fELF\x02\x01"
_LOADED = 2
_WITHOUT_CONTENT = 8


def without_symbols(content: bytes) -> bytes:
    """The content of a native module without debug information and symbol tables; of another file, itself."""
    if not content.startswith(_ELF64_LITTLE):
        return content
    emptied = bytearray(content)
    for start, size in _only_for_debuggers(content):
        emptied[start : start + size] = bytes(size)
    return bytes(emptied)


def _only_for_debuggers(content: bytes) -> Iterator[tuple[int, int]]:
    """Where the sections begin, and how long they are."""
    (table,) = struct.unpack_from("<Q", content, 0x28)
    entry, count, of_names = struct.unpack_from("<HHH", content, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", content, table + entry * place) for place in range(count)]
    names = headers[of_names][4]
    for name, kind, flags, _, start, size in headers:
        text = content[names + name : content.index(b"\0", names + name)]
        is_loaded = bool(flags & _LOADED) or kind == _WITHOUT_CONTENT
        if not is_loaded and (text.startswith(b".debug_") or text in (b".symtab", b".strtab")):
            yield start, size
