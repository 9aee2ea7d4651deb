"""Names of PyTorch that a module of the project re-exports: ``from .common import F``.

What they mean is in the other file. A view of the project that has read its files knows it
(:class:`ReexportView`); to a file alone such names are names of the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Protocol, cast

from ..model.project.project_view import ProjectView
from ..text.names import Certainty
from ..text.plain.words import words_in
from ..text.source_file import SourceFile

_FROM_TORCH = re.compile(rb"from torch[\w.]* import (\([^)]*\)|[^\n]*)")
_IMPORT_AS = re.compile(rb"import torch[\w.]* as (\w+)")
_ASSIGNED = re.compile(rb"\n(\w+) = (?:torch|nn|F)\.[\w.]+[ \t]*(?=[\r\n#])")
_LOADED = re.compile(rb"(?m)^(\w+) = [\w.]+\([^\n]*['\"]torch['\"]")
_QUOTED_TORCH = (b"'torch'", b'"torch"')
_ALL = re.compile(rb"^__all__[ \t]*=[ \t]*[\[(]((?:[\s,]|#[^\n]*|'\w+'|\"\w+\")*)[\])][ \t]*(?:#.*)?$", re.M)
_QUOTED = re.compile(rb"['\"](\w+)['\"]")
_LAST_WORD = re.compile(rb"(\w+)[ \t]*(?:,|$|\n|\\)")
_COMMENT = re.compile(rb"#[^\n]*")
_CUDA = ("torch.cuda", "torch.npu", "torch.backends")
"""A module that re-exports such a name is migrated, and the name with it."""


class ReexportView(Protocol):
    """A ``ProjectView`` that knows what the project's modules re-export."""

    @property
    def reexported_names(self) -> frozenset[str]:
        """The names under which some file of the project imports something of PyTorch; often one too many."""

    def torch_name_of(self, importer_path: str, imported: str) -> str | None:
        """The name below ``torch`` that a name imported from a module of the project means."""

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        """The ``reexported_names`` that a star import of a module brings, each with what it means."""


def reexport_view(project: ProjectView) -> ReexportView | None:
    """The view, if it knows what the project's modules re-export."""
    return cast(ReexportView, project) if _can_tell(type(project)) else None


@cache
def _can_tell(view: type) -> bool:
    """By the class: ``isinstance`` of a protocol takes half as long as all the searches for triggers."""
    return hasattr(view, "reexported_names") and hasattr(view, "torch_name_of")


def follow_imports(source: SourceFile, view: ReexportView) -> None:
    """Have a file's names resolved through the modules of its project.

    What was resolved by another view is forgotten: an editor examines one version of a document by several.
    """
    if source.names.view is view:
        return
    source.forget_names()
    follow_on(source, view)


def follow_on(source: SourceFile, view: ReexportView) -> None:
    """Have a file's names resolved by another view, by which what was resolved has the same meaning."""
    path = source.path
    names = source.names
    names.follow_imports(
        partial(view.torch_name_of, path), partial(view.brought_by_star, path), view.reexported_names
    )
    names.view = view


def names_bound_to_torch(data: bytes) -> set[str]:
    """The names that imports of PyTorch bind in a file, and those it assigns from them, by plain searches."""
    if b"torch" not in data:
        return set()
    found = {b"torch"} if b"import torch" in data else set()
    for names in _FROM_TORCH.findall(data):
        found.update(_LAST_WORD.findall(_COMMENT.sub(b"", names.strip(b"()"))))
    found.update(_IMPORT_AS.findall(data))
    found.update(_ASSIGNED.findall(data))
    if any(word in data for word in _QUOTED_TORCH):
        found.update(_LOADED.findall(data))
    return {name.decode("utf-8", "replace") for name in found}


def possible_names(data: bytes, names: frozenset[str]) -> list[str]:
    """Those of many names that a module of these bytes may have, sorted: one search for all its words."""
    if b"import *" in data:
        return sorted(names)
    words = set(words_in(data))
    return sorted(name for name in names if name.encode("utf-8", "surrogatepass") in words)


def brought(data: bytes, names: Iterable[str]) -> list[str]:
    """Those of the names that a star import of a module of these bytes may bring, by its ``__all__``.

    Where that is more than one plain list, any name may be in it.
    """
    match = _ALL.search(data) if data.count(b"__all__") == 1 else None
    if match is None:
        return list(names)
    listed = set(_QUOTED.findall(match[1]))
    return [name for name in names if name.encode("utf-8", "surrogatepass") in listed]


def meaning_in(source: SourceFile, name: str) -> str | None:
    """The name below ``torch`` that a module-level name of a file means, if it means that alone."""
    resolution = source.names.module_meaning(name)
    if resolution is None or resolution.certainty is not Certainty.CERTAIN:
        return None
    found = resolution.qualified_name
    is_torch = found == "torch" or found.startswith("torch.")
    return found if is_torch and not found.startswith(_CUDA) else None


def meanings_in(source: SourceFile, names: frozenset[str], view: ReexportView) -> Iterator[tuple[str, str]]:
    """Those of ``names`` that are PyTorch's in a file's own scope, each with what it means."""
    follow_imports(source, view)
    for name in possible_names(source.data, names):
        meaning = meaning_in(source, name)
        if meaning is not None:
            yield name, meaning
