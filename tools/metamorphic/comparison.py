"""Whether a refactored program is migrated as the one that it was made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import MigrationOptions

from .marked import Files, with_marks
from .migrated import Fate, Migrated, migrated
from .refactorings.refactoring import Refactoring, Target, targets_of

_CHANGED = frozenset({Fate.CHANGED, Fate.WIDENED})


class Difference(NamedTuple):
    """A word that is decided otherwise after a refactoring."""

    refactoring: str
    word: int
    before: frozenset[Fate]
    after: frozenset[Fate]
    files: Files
    """The refactored program, with marks."""
    texts: Files
    """What the migration makes of it."""

    def __str__(self) -> str:
        shown = "\n".join(f"--- {path}\n{text}" for path, text in self.texts.items())
        before, after = (", ".join(sorted(fate.value for fate in fates)) for fates in self[2:4])
        return f"{self.refactoring}: word {self.word} was {before}, and is {after}\n{shown}"


def differences(text: str, refactoring: Refactoring, options: MigrationOptions) -> list[Difference]:
    """What a refactoring of each word of a module, in turn, changes in the decisions about all words."""
    marked = with_marks(text)
    before = migrated({"train.py": marked}, options)
    found = []
    for target in targets_of(marked):
        files = refactoring.apply(target)
        if files is not None:
            found += _compared(refactoring, target, files, before, migrated(files, options))
    return found


def _compared(
    refactoring: Refactoring, target: Target, files: Files, before: Migrated, after: Migrated
) -> list[Difference]:
    return [
        Difference(refactoring.name, number, fates, after.fates[number], files, after.texts)
        for number, fates in before.fates.items()
        if number in after.fates and not _is_alike(number, fates, after)
    ]


def _is_alike(number: int, before: frozenset[Fate], after: Migrated) -> bool:
    """Whether a word is changed at all its places, or at none, as it was; or an error says why it is not."""
    is_changed, was_changed = (bool(fates & _CHANGED) for fates in (after.fates[number], before))
    is_half = is_changed and Fate.KEPT in after.fates[number]
    if is_changed == was_changed and not is_half:
        return True
    is_told = after.has_divided or Severity.ERROR in after.told[number]
    return not is_changed and is_told


