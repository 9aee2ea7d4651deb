"""Whether a refactored program is migrated as the one that it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Severity

from .marked import Files, with_marks
from .migrated import Fate, Migrated, migrated
from .refactorings.refactoring import MAIN, Refactoring, Target, targets_of
from .samples import Sample

_CHANGED = frozenset({Fate.CHANGED, Fate.WIDENED})


class Difference(NamedTuple):
    """A word that is decided otherwise after a refactoring."""

    sample: str
    refactoring: str
    word: int
    before: frozenset[Fate]
    after: frozenset[Fate]
    texts: Files
    """What the migration makes of the refactored program."""

    def __str__(self) -> str:
        shown = "\n".join(f"--- {path}\n{text}" for path, text in self.texts.items())
        before, after = (
            ", ".join(sorted(fate.value for fate in fates)) for fates in (self.before, self.after)
        )
        return f"{self.sample}, {self.refactoring}: word {self.word} was {before}, and is {after}\n{shown}"


class Original:
    """A program as it is written, and what becomes of it."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self._marked = with_marks(sample.text)

    @cached_property
    def _before(self) -> Migrated:
        return migrated({MAIN: self._marked}, self.sample.options)

    @cached_property
    def targets(self) -> Sequence[Target]:
        """The words that are refactored one after the other."""
        return tuple(targets_of(self._marked))

    def differences(
        self, refactoring: Refactoring, targets: Sequence[Target] | None = None
    ) -> list[Difference]:
        """What a refactoring of each word, in turn, changes in the decisions about all words."""
        found = []
        for target in self.targets if targets is None else targets:
            files = refactoring.apply(target)
            if files is not None:
                found += self._compared(refactoring, migrated(files, self.sample.options))
        return found

    def _compared(self, refactoring: Refactoring, after: Migrated) -> list[Difference]:
        name = self.sample.name
        return [
            Difference(name, refactoring.name, number, fates, after.fates[number], after.texts)
            for number, fates in self._before.fates.items()
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
