"""What the names of a file may stand for, read off its imports and assignments without a tree.

Whatever the tree says is among it. Texts and comments are read as well, so that some of it is said nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

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
_BY_CALL = (b"'torch'", b'"torch"')
"""In a call that imports it, under whatever name."""
_MOST_NAMES = 500
_Written = tuple[bytes, bytes]
"""A name, and what follows it and a dot in a dotted word; nothing for the name alone."""


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
        self._assigned_from: dict[bytes, set[_Written]] = {}
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

    def wanted(self, is_wanted: Callable[[str], bool]) -> Mapping[str, frozenset[bytes]]:
        """The dotted words that may be a wanted qualified name, and those from which such a name is assigned:
        what follows the dot, by the name of the text with which they begin.

        Raises:
            UnclearError: a dotted word goes on behind a blank.
        """
        pending = [
            (local, below)
            for local in self._known
            for below in self._written_below(local)
            if any(is_wanted(name) for name in self._names_of(local, below))
        ]
        found: dict[bytes, set[bytes]] = {}
        while pending:
            local, below = pending.pop()
            known = found.setdefault(local, set())
            if below not in known:
                known.add(below)
                pending += self._assigned_from.get(local, ())
        return {as_text(local): frozenset(known) for local, known in found.items()}

    def _written_below(self, local: bytes) -> Iterator[bytes]:
        """What follows a name in every dotted word that begins with it, and nothing where it stands alone."""
        written = self._words.below(local)
        open_ends = {below for below in written if below.endswith(b".") or not below}
        if open_ends and self._words.goes_on_behind_blank(local):
            raise UnclearError
        yield from written - open_ends
        if local in self._words:
            yield b""

    def _names_of(self, local: bytes, below: bytes) -> Iterator[str]:
        """The qualified names that a dotted word may be."""
        rest = f".{as_text(below)}" if below else ""
        return (target + rest for target in self._known[local])

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
                    self._assigned_from.setdefault(bound, set()).add((name, below[1:]))


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
