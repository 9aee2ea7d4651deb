"""What the names of a file may stand for, read off its imports and assignments without a tree.

Whatever the tree says is among it. Texts and comments are read as well, so that some of it is said nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..prefilter import ASSUMED_ROOT
from .imported import UnclearError, as_text, imports_in
from .written import LETTERS, Words, last_word

_ASSIGNED = re.compile(
    rb"=(?:[\s\\(]|#[^\n]*\n)*([A-Za-z_\x80-\xff][%b.]*)(?![%b.])(?![ \t]*[(\[])" % (LETTERS, LETTERS)
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

    def __init__(
        self, data: bytes, words: Words, roots: frozenset[str], meaning: Callable[[str], str] | None
    ) -> None:
        """Read them off a text.

        Args:
            roots: The modules of interest.
            meaning: What an import's target stands for in other files of the project, if they are known.

        Raises:
            UnclearError: only a tree shows them.
        """
        if any(word in data for word in _BY_CALL):
            raise UnclearError
        self.imports = tuple(imports_in(data))
        self._words = words
        self._known: dict[bytes, set[str]] = {}
        self._pending = [(ASSUMED_ROOT.encode(), ASSUMED_ROOT)]
        for item in self.imports:
            target = meaning(item.target) if meaning is not None else item.target
            if item.name == "*" and (meaning is not None or target.partition(".")[0] in roots):
                raise UnclearError
            if target.partition(".")[0] in roots:
                self._pending.append((item.name.encode("utf-8", "surrogatepass"), target))
        self._follow_assignments(data)
        if words.has_gap_after(self._known):
            raise UnclearError

    def names(self) -> Iterator[str]:
        """The qualified name of every dotted word, as far as it is below one of the roots.

        Raises:
            UnclearError: a dotted word goes on behind a blank.
        """
        for local, targets in self._known.items():
            written = self._words.below(local)
            if any(below.endswith(b".") or not below for below in written):
                raise UnclearError
            for target in targets:
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
                self._pending += [(bound, meaning) for bound in _targets(data, sign)]


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
