"""Whether what fixes make of a file can still be read, by which a fix that breaks it is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpu2ascend_rules.edits.refusals import Judge
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

from .syntax import syntax_problem


def judge_of(source: TextFile) -> Judge | None:
    """Who judges what fixes make of a file; ``None`` where it is broken as it is."""
    if isinstance(source, SourceFile):
        return is_python if syntax_problem(source) is None else None
    if isinstance(source, KindFile) and not source.has_syntax_error:
        return _is_whole
    return None


def is_python(text: TextFile, passes: Sequence[Iterable[Edit]]) -> bool:
    """Whether a text is Python 3."""
    return syntax_problem(SourceFile(text.text, text.path)) is None


def _is_whole(text: TextFile, passes: Sequence[Iterable[Edit]]) -> bool:
    return isinstance(text, KindFile) and not text.has_syntax_error
