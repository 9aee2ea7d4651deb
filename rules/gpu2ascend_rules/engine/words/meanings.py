"""What the names of a file may stand for, read off its imports and assignments without a tree.

Whatever the tree says is among it. Texts and comments are read as well, so that some of it is said nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...inference.reexports import ReexportView
from ...text.source_file import SourceFile
from ..outline.written import LETTERS, last_word, words_of
from ..prefilter import ASSUMED_ROOT
from .imported import UnclearError, as_text, imports_in

_ASSIGNED = re.compile(
    rb"=(?:[\s\\(]|#[^\n]*\n)*(?!(?:None|True|False)(?![%b]))"
    rb"([A-Za-z_\x80-\xff][%b.]*)(?![%b.])(?![ \t]*[(\[])" % (LETTERS, LETTERS, LETTERS)
)
"""A sign of assignment and a dotted name behind it that is not called."""
_WINDOW = 300
"""Bytes before a sign of assignment in which its target, with an annotation, is looked for."""
_NO_ASSIGNMENT = frozenset(b"=!<>+-*/%&|^@~")
"""What makes another sign of it."""
_BY_CALL = (b"importorskip", b"import_module", b"__import__")
_MOST_NAMES = 500


class Meanings:
    """The qualified names that the local names of a text may stand for, below some root modules."""

    def __init__(self, source: SourceFile, roots: frozenset[str], view: ReexportView | None) -> None:
        """Read them off a text.

        Args:
            source: The text, of which no tree is made.
            roots: The modules of interest.
            view: The other files of the project, if they are known.

        Raises:
            UnclearError: only a tree shows them.
        """
        data = source.data
        if any(word in data for word in _BY_CALL):
            raise UnclearError
        self.imports = tuple(imports_in(data))
        self._words = words_of(source)
        self._known: dict[bytes, set[str]] = {}
        self._assigned_from: dict[bytes, set[bytes]] = {}
        self._pending = [(ASSUMED_ROOT.encode(), ASSUMED_ROOT)]
        reexported = view.reexported_names if view is not None else ()
        for item in self.imports:
            target = item.target
            if view is not None and target.rpartition(".")[2] in reexported:
                target = view.stands_for(source.path, target) or target
            is_below = target.partition(".")[0] in roots
            if item.name == "*":
                if is_below or (
                    view is not None and reexported and view.brought_by_star(source.path, target)
                ):
                    raise UnclearError
            elif is_below:
                self._pending.append((item.name.encode("utf-8", "surrogatepass"), target))
        self._follow_assignments(data)
        if self._words.has_gap_after(self._known):
            raise UnclearError

    def _uses_one_of(self, view: ReexportView, path: str, module: str) -> bool:
        """Whether the text has a name that a star import of a module brings."""
        names = [name.encode("utf-8", "surrogatepass") for name in view.reexported_names]
        used = [name for name in names if name in self._words or self._words.below(name)]
        return bool(used) and not view.brought_by_star(path, module).keys().isdisjoint(map(as_text, used))

    def local_names(self, is_wanted: Callable[[str], bool]) -> frozenset[str]:
        """The names of the text that begin a wanted qualified name, and those from which they are assigned.

        Raises:
            UnclearError: a dotted word goes on behind a blank.
        """
        pending = [local for local in self._known if any(map(is_wanted, self._names_below(local)))]
        found: set[bytes] = set()
        while pending:
            local = pending.pop()
            if local not in found:
                found.add(local)
                pending += self._assigned_from.get(local, ())
        return frozenset(map(as_text, found))

    def _names_below(self, local: bytes) -> Iterator[str]:
        """The qualified name of every dotted word that begins with a name, and of that name alone."""
        written = self._words.below(local)
        if any(below.endswith(b".") or not below for below in written):
            raise UnclearError
        for target in self._known[local]:
            yield from (f"{target}.{as_text(below)}" for below in written)
            if local in self._words:
                yield target

    def _follow_assignments(self, data: bytes) -> None:
        """Add the names to which what is known is assigned, those included that are assigned in turn."""
        assigned: dict[bytes, list[tuple[bytes, int]]] = {}
        for match in _ASSIGNED.finditer(data):
            root, dot, below = match[1].partition(b".")
            assigned.setdefault(root, []).append((dot + below, match.start()))
        count = 0
        while self._pending:
            name, target = self._pending.pop()
            known = self._known.setdefault(name, set())
            if target in known:
                continue
            known.add(target)
            count += 1
            if count > _MOST_NAMES:
                raise UnclearError  # x = x.a goes on for ever
            for below, sign in assigned.get(name, ()):
                meaning = target + as_text(below)
                for bound in _targets(data, sign):
                    self._pending.append((bound, meaning))
                    self._assigned_from.setdefault(bound, set()).add(name)


def _targets(data: bytes, sign: int) -> Iterator[bytes]:
    """The names that may stand before a sign of assignment as its target.

    Raises:
        UnclearError: only a tree shows which.
    """
    if sign and data[sign - 1] in _NO_ASSIGNMENT:
        return
    before = data[max(0, sign - _WINDOW) : sign].rstrip(b" \t\f\r\n\\:")
    before = before[before.rfind(b"=") + 1 :]
    if before.endswith(b")"):
        raise UnclearError
    annotated, colon, _ = before.rpartition(b":")
    for written in (before, annotated.rstrip(b" \t\f\r\n\\") if colon else b""):
        word = last_word(written)
        if word and b"." not in word:
            yield word
