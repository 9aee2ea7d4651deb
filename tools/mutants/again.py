"""The survivors of a sample, to be run again: ``make mutants AGAIN=1`` says whether new tests notice them."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from .sampling import Mutant, mutants_of


def keep(file: Path, survivors: Iterable[Mutant]) -> None:
    """Write down what survived."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(list(survivors), indent=1), encoding="utf-8")


def load(root: Path, file: Path) -> Iterator[Mutant]:
    """The mutants that were written down, as they are in the code of today; a changed line has none."""
    for row in json.loads(file.read_text(encoding="utf-8")):
        old = Mutant(*row)
        today = mutants_of(root, old.path, old.operator)
        same = [mutant for mutant in today if (mutant.before, mutant.after) == (old.before, old.after)]
        if same:
            yield max(same, key=lambda mutant: _likeness(mutant.code, old.code))


def _likeness(new: str, old: str) -> float:
    """How alike two mutated modules are; of mutations of equal lines, the same one is the likest."""
    return difflib.SequenceMatcher(None, new.splitlines(), old.splitlines(), autojunk=False).ratio()
