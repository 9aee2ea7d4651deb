"""The modules that a file may import, by the last parts of their names."""

from __future__ import annotations

import re

_IMPORTS = re.compile(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,9999}\)|(?:[^\n\\]|\\\r?\n){0,9999})"
    rb"|import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?){0,999}))",
    re.M,
)
_NAME = re.compile(rb"[^\W\d]\w*(?=[ \t]*(?:,|\)|$|as\b|[ \t\r\n]))")
_MODULE = re.compile(rb"[\w.]+")
_MOST = 400
"""Names of one file."""
_LIBRARIES = frozenset({b"torch", b"numpy", b"os", b"sys", b"typing", b"torchvision", b"transformers"})


def linked_modules(python: bytes) -> tuple[str, ...]:
    """What a file imports, sorted: the last parts of modules, and names that may be modules of a package."""
    found: set[bytes] = set()
    if b"import" not in python:
        return ()
    for source, names, plain in _IMPORTS.findall(python):
        if plain:
            modules = [part.split()[0] for part in plain.split(b",") if part.split()]
            found.update(module.rpartition(b".")[2] for module in modules)
        elif source.partition(b".")[0] not in _LIBRARIES:
            found.add(source.rpartition(b".")[2])
            found.update(_NAME.findall(names))
    found -= {b"", b"as", b"import"} | _LIBRARIES
    return tuple(sorted(name.decode("utf-8", "replace") for name in sorted(found)[:_MOST]))
