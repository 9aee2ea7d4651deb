"""Whether what fixes make of a file can still be read, by which a fix that breaks it is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import zip_longest

from gpu2ascend_rules.hosting import Judge
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.parts.part import Part
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

from .syntax import syntax_problem


def breaks_a_part(before: TextFile, after: TextFile) -> bool:
    """Whether fixes left a part that is no Python 3 of one that was, or other parts than there were."""
    pairs = zip_longest(before.parts(), after.parts())
    return any(_is_broken(old, new) for old, new in pairs)


def _is_broken(old: Part | None, new: Part | None) -> bool:
    if old is None or new is None:
        return True
    return old.text != new.text and _is_python(old) and not _is_python(new)


def _is_python(part: Part) -> bool:
    return syntax_problem(SourceFile(part.text)) is None


def judge_of(source: TextFile) -> Judge | None:
    """Who judges what fixes make of a file; ``None`` for a module that is broken as it is."""
    if isinstance(source, SourceFile):
        return is_python if syntax_problem(source) is None else None
    return partial(_is_whole, source) if isinstance(source, KindFile) else None


def is_python(text: TextFile, passes: Sequence[Iterable[Edit]]) -> bool:
    """Whether a text is Python 3."""
    return syntax_problem(SourceFile(text.text, text.path)) is None


def _is_whole(source: KindFile, text: TextFile, passes: Sequence[Iterable[Edit]]) -> bool:
    return isinstance(text, KindFile) and is_as_whole(source, text)


def is_as_whole(before: KindFile, after: KindFile) -> bool:
    """Whether fixes left a file that is not Python, and the Python in it, as sound as they were."""
    is_parsed = not after.has_syntax_error or before.has_syntax_error
    return is_parsed and not breaks_a_part(before, after)
