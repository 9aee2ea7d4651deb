"""Words that depend on a torch which may be another module, and stay with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..flow.names.files import ProgramFiles
from ..flow.tracing.values import End, EndKind, Word

_TESTS = frozenset({EndKind.TESTED, EndKind.LISTED})


def left_ends(word: Word, ends: Iterable[End], files: ProgramFiles) -> Iterator[End]:
    """The ends of a word at which an unknown torch decides over it, or depends on the test of it."""
    tests = ((end.path, end.start) for end in ends if end.kind in _TESTS and end.is_certain)
    for path, start in (word, *tests):
        file = files.get(path)
        if file is not None and file.ctx.unknown_torch.governs(start):
            yield End(EndKind.LEFT, path, start)
