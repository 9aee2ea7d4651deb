"""Whether a file can concern any rule at all, judged by its bytes: no parse, a few plain searches.

Most files of a project mention neither torch nor a device. The many libraries that rules know by name are
looked for only where the file imports something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from ..inference.extensions.setup_scripts import built_names
from ..inference.reexports import reexport_view
from ..model.project.project_view import ProjectView
from ..targets.registry import DEFAULT
from ..targets.target import Target
from ..text.dynamic.disguises import may_be_disguised
from ..text.parsed_text import whole_words
from .rule import Event, Family

ASSUMED_ROOT = "torch"
"""The module whose name counts even in a file that does not import it."""

_FROM = re.compile(rb"from[\s\\]+(\w+)")
_IMPORT = re.compile(rb"import[\s\\]*(\([^)]*|(?<=[\s\\])(?:[\w., \t\f]+|\\\r?\n?)+)")
_WORD = re.compile(rb"\w+")
_COUNT = re.compile(rb"(?:\[|[:+<>=])\s*[456]\b|\b[456]\s*[+<>=]")


_WITHOUT_WORDS = frozenset(
    {
        Event.NAME, Event.IMPORT, Event.ABSENT_IMPORT, Event.EXTENSION_IMPORT, Event.SUPPORT_LISTED_MEMBER,
        Event.SUPPORT_LISTED_NAME, Event.MASK_WRITE, Event.DISGUISE, Event.COUNT,
    }
)  # fmt: skip
"""Events whose patterns are no texts that are in the file. A receiver that nothing in the file says to be
PyTorch's is no reason to look at it."""


class Prefilter(NamedTuple):
    """What a file must have of at least one."""

    words: tuple[bytes, ...]
    """Lower-case texts that stand anywhere, in any case of letters."""
    modules: frozenset[bytes]
    """Top-level modules that it imports."""
    beside: tuple[tuple[frozenset[bytes], tuple[bytes, ...]], ...]
    """Lower-case texts that count only in a file that imports one of the modules beside them."""


@lru_cache(maxsize=8)
def prefilter(target: Target = DEFAULT) -> Prefilter:
    """What the rules that a target may run wait for together.

    Those for transfer_to_npu wait for everyday words: they look at every script that can be started.
    """
    from .registry import outlines_for

    words, modules, beside = {ASSUMED_ROOT}, set(), []
    for rule in outlines_for(target):
        if rule.family is Family.AUTOMATIC and not target.owns(rule.code):
            continue
        own_words = {want.pattern for want in rule.wants if want.event not in _WITHOUT_WORDS}
        if rule.only_with is not None:
            words.add(rule.only_with)
            continue
        if rule.only_importing:
            imported = frozenset(module.encode() for module in rule.only_importing)
            beside.append((imported, tuple(shortest(own_words))))
        else:
            words |= own_words
        modules |= {
            want.pattern.partition(".")[0].encode()
            for want in rule.wants
            if want.event in (Event.NAME, Event.IMPORT)
        }
    return Prefilter(tuple(shortest(words)), frozenset(modules), tuple(beside))


def shortest(words: Iterable[str]) -> list[bytes]:
    """The words in lower case, without those that hold another one."""
    shortest: list[bytes] = []
    lower = {word.lower().encode() for word in words}
    for word in sorted(lower, key=lambda item: (len(item), item)):
        if not any(known in word for known in shortest):
            shortest.append(word)
    return shortest


def may_concern(data: bytes, target: Target = DEFAULT) -> bool:
    """Whether some rule of a target may find something in a file of these bytes.

    Plain loops: for a small file a generator or a set made on the way would cost as much as the searches.
    """
    wanted, modules, beside = prefilter(target)
    lower = data.lower()
    for word in wanted:
        if word in lower:
            return True
    imported = _FROM.findall(data) + imported_names(data)
    if not modules.isdisjoint(imported):
        return True
    for needed, words in beside:
        if not needed.isdisjoint(imported):
            for word in words:
                if word in lower:
                    return True
    return may_be_disguised(data)


def imported_names(data: bytes) -> list[bytes]:
    """Every name in what follows ``import``: rather one too many."""
    return _WORD.findall(b" ".join(_IMPORT.findall(data)))


def imported_modules(data: bytes) -> set[bytes]:
    """The top-level modules that a file imports, and some other names."""
    return {*_FROM.findall(data), *imported_names(data)}


def may_cut_texts(data: bytes) -> bool:
    """Whether a file may cut texts where a device's name ends, or compare their lengths."""
    return _COUNT.search(data) is not None


def _may_import_built(data: bytes, project: ProjectView) -> bool:
    """Whether a file may import an extension that a setup script of the project compiles for CUDA."""
    if not project.setup_scripts or b"import" not in data:
        return False
    return any(name.rpartition(".")[2].encode() in data for name in built_names(project, ""))


def may_matter(data: bytes, project: ProjectView, target: Target) -> bool:
    """Whether some rule may find something in a file of these bytes that is part of a project."""
    if may_concern(data, target) or _may_import_built(data, project):
        return True
    view = reexport_view(project)
    names = view.reexported_names if view is not None else frozenset()
    if not names:
        return False
    return b"import *" in data or any(
        word.decode("utf-8", "replace") in names for word in imported_names(data)
    )


def has_word(data: bytes, word: str) -> bool:
    """Whether a text holds a word that is no part of a longer one."""
    return next(whole_words(data, word.encode()), None) is not None
