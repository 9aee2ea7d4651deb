"""Whether the parts of a file are as sound after fixes as they were before."""

from __future__ import annotations

from itertools import zip_longest

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
