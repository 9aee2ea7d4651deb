"""The fixes of one file, made so that none can cost the others: one that breaks the text is left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

from gpu2ascend_rules.fixing import apply_fixes, custom_change, without_custom
from gpu2ascend_rules.hosting import Judge, all_codemods, around_program, changed_by
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.model.outcome import FileChange, FixOutcome
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions, OptionError
from gpu2ascend_rules.text.source_file import SourceFile

from .files.content.soundness import is_as_whole, is_python
from .files.content.syntax import has_only_async, syntax_problem


class BrokenEditError(Exception):
    """Fixes leave a text that does not parse any more, and no single one of them does: a defect of ours."""


class Transform(Protocol):
    """Makes the fixes of a source; with a judge, without those that break it."""

    def __call__(
        self,
        source: Any,
        options: MigrationOptions,
        project: ProjectView,
        /,
        *,
        is_sound: Judge | None = None,
    ) -> FixOutcome:
        """The source after its fixes."""


class Making(Protocol):
    """Makes the fixes of one source; with a judge, without those that break it."""

    def __call__(self, *, is_sound: Judge | None = None) -> FixOutcome:
        """The source after its fixes."""


class Keeping(Protocol):
    """Whether fixes left a source as sound as it was."""

    def __call__(self, done: FixOutcome, /) -> bool:
        """Whether they did."""


def made_soundly(make: Making, find_judge: Callable[[], Judge | None], is_kept: Keeping) -> FixOutcome:
    """The outcome of fixes that leave a source sound.

    Where they do not, or fail, they are made again, and each that breaks the source is left out and
    reported. So a source costs one look at its new text, as long as no fix has a defect.

    Raises:
        BrokenEditError: the source would be broken all the same.
    """
    judge: Judge | None = None
    try:
        done = make()
        if is_kept(done):
            return done
        judge = find_judge()
    except OptionError:
        raise
    except Exception:
        judge = find_judge()
        if judge is None:
            raise
    if judge is not None:
        done = make(is_sound=judge)
        if is_kept(done):
            return done
    raise BrokenEditError


def after_all_steps(
    transform: Transform,
    source: SourceFile,
    options: MigrationOptions,
    project: ProjectView,
    change: FileChange | None,
    *,
    codemods: bool,
    is_sound: Judge | None = None,
) -> FixOutcome:
    """The file after the user's rules, then the codemods, then the built-in rules."""
    if change is None and not (codemods and any(item.is_asked_for(options) for item in all_codemods())):
        return transform(source, options, project, is_sound=is_sound)
    own = custom_change(source, options, project, is_python)  # as whoever made the change has seen it
    left = source if own is None else SourceFile(own.text, source.path)
    changes = _changes(left, options, change)
    if not changes:
        return transform(source, options, project, is_sound=is_sound)
    before = [own] if own is not None else []
    return apply_fixes(source, without_custom(options), project, [*before, *changes], is_sound=is_sound)


def _changes(source: SourceFile, options: MigrationOptions, change: FileChange | None) -> list[FileChange]:
    """What the codemods make of a module, with the change that one of them made of it with its program."""
    if change is None:
        return [*changed_by(all_codemods(), source, options)]
    before, after = around_program()
    left = SourceFile(change.text, source.path)
    return [*changed_by(before, source, options), change, *changed_by(after, left, options)]


_WORD = re.compile(rb"[A-Za-z_]\w*")


def keeps_syntax(file: KindFile, outcome: FixOutcome) -> bool:
    """Whether fixes left the syntax of a file, and of the Python in it, as it was.

    A word in place of a word does in any language, since no rule writes a keyword. Of most configurations
    nothing else changes, and to parse them takes longest.
    """
    if len(outcome.edits) == 1 and outcome.edits[0]:
        words = (
            (file.data[edit.start : edit.end], edit.text.encode("utf-8", "surrogatepass"))
            for edit in outcome.edits[0]
        )
        if all(_WORD.fullmatch(old) and _WORD.fullmatch(new) for old, new in words):
            return True
    if outcome.text == file.text:
        return True
    return is_as_whole(file, file.renewed(outcome.text))


def is_broken(source: SourceFile, text: str, is_lenient: bool) -> bool:
    """Whether fixes made a text that is not Python 3 of one that is, or that may not be left like that."""
    if text == source.text:
        return not is_lenient and has_only_async(source)
    if syntax_problem(SourceFile(text, source.path)) is None:
        return False
    return not is_lenient or syntax_problem(source) is None
