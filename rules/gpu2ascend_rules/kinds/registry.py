"""Which kind a file is of."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache

from ..text.plain.python_files import HEAD_BYTES, MODULE_SUFFIXES, TEMPLATE, may_have_head
from ..text.plain.text_file import TextFile
from ..text.source_file import SourceFile
from .kind import Kind, KindFile

_PACKAGE = __name__.rpartition(".")[0]
_NO_KINDS = (*MODULE_SUFFIXES, ".pyi", ".ipynb")
"""What Python's own engine reads, whatever else a name looks like."""


@lru_cache(maxsize=1)
def all_kinds() -> tuple[Kind, ...]:
    """Every kind, by name: each module or folder of this package that defines ``KIND``."""
    package = importlib.import_module(_PACKAGE)
    found = (item.name for item in pkgutil.iter_modules(package.__path__))
    kinds = (getattr(importlib.import_module(f"{_PACKAGE}.{name}"), "KIND", None) for name in sorted(found))
    return tuple(kind for kind in kinds if isinstance(kind, Kind))


@lru_cache(maxsize=64)
def kind_called(name: str) -> Kind:
    """The kind with a name. Raises KeyError: there is none."""
    return {kind.name: kind for kind in all_kinds()}[name]


def kind_of_name(path: str) -> Kind | None:
    """The kind that a path shows; None where it shows none, or Python."""
    return None if path.lower().endswith(_NO_KINDS) else _kind_of_another_name(path)


@lru_cache(maxsize=1024)
def _kind_of_another_name(path: str) -> Kind | None:
    found = next((kind for kind in all_kinds() if kind.has_name(path)), None)
    made = TEMPLATE.sub("", path)
    return kind_of_name(made) if found is None and made != path else found


def kind_of_head(path: str, head: str) -> Kind | None:
    """The kind that the begin of a file shows, of one whose name has no suffix."""
    if not may_have_head(path):
        return None
    return next((kind for kind in all_kinds() if kind.claims is not None and kind.claims(head)), None)


def kind_of_language(language: str) -> Kind | None:
    """The kind of what an editor calls by the name of a language."""
    return next((kind for kind in all_kinds() if language in kind.languages), None)


def kind_of(path: str, text: str = "", language: str = "") -> Kind | None:
    """The kind of a file: by its path, else by its begin, else by what an editor calls its language."""
    found = kind_of_name(path) if path else None
    if found is None and path and text:
        found = kind_of_head(path, text[:HEAD_BYTES])
    if found is None and language:
        found = kind_of_language(language)
    return found


def kind_file(path: str, text: str, language: str = "") -> KindFile | None:
    """A text as a file of its kind; None where it has none."""
    kind = kind_of(path, text, language)
    return kind.file(kind, text, path) if kind is not None else None


def text_file(text: str, path: str = "", language: str = "") -> TextFile:
    """A text as what it is examined as: Python, if it is of no other kind."""
    return kind_file(path, text, language) or SourceFile(text, path)
