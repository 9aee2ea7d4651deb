"""After any edits, the editor's decisions are those of one who sees the project for the first time."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from gpu2ascend.project.files.writing.copying import MAX_BYTES
from gpu2ascend.project.index.facts.file_facts import facts_below, facts_of_text
from gpu2ascend.project.index.indexed_files import IndexedFiles
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.program.kept import KeptPrograms
from tests.rules.program.marked import OPTIONS
from tests.rules.program.random_edits import EDITS, PROJECT, Texts, restore_file

SEEDS = int(os.environ.get("GPU2ASCEND_RANDOM_EDITS", "6"))
"""Projects that are edited; a wide search takes hundreds."""
STEPS = 12
"""Edits of each, one after the other."""


class Session:
    """A project on disk, some of whose files are open in an editor that has indexed all of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.index = IndexedFiles()
        self.kept = KeptPrograms()
        self.texts: Texts = {}
        self.opened: Texts = {}

    def change(self, texts: Texts, chance: random.Random) -> None:
        """Bring the project to other texts: by typing into open documents, or on disk."""
        for path in self.texts.keys() - texts.keys():
            (self.root / path).unlink()
            self.opened.pop(path, None)
            self.index.remove(path)
        for path, text in sorted(texts.items()):
            if self.texts.get(path) == text:
                continue
            if chance.random() < 0.5 or not (self.root / path).exists():
                self._write(path, text)
                self.opened.pop(path, None)
            else:
                self.opened[path] = text
        self.texts = dict(texts)

    def _write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        if path.endswith(".py"):
            self.index.put(path, facts_of_text(path, text))

    def view(self) -> ProjectFiles:
        """The project as the editor has it now."""
        return ProjectFiles(self.root, self.index.facts(), dict(self.opened))


@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_decisions_after_edits_are_those_of_a_fresh_link(seed: int, tmp_path: Path) -> None:
    chance, session, texts = random.Random(seed), Session(tmp_path), dict(PROJECT)
    done: list[str] = []
    for _ in range(STEPS):
        session.change(texts, chance)
        fresh = ProjectFiles(tmp_path, facts_below(tmp_path, MAX_BYTES), dict(session.opened))
        kept = session.view().program.decided(OPTIONS, session.kept)
        assert kept == fresh.program.decided(OPTIONS), (done, texts)
        edits = chance.choices(EDITS, k=chance.choice((1, 1, 1, 2)))
        for edit in edits:
            edit(texts, chance)
        done.append(" and ".join(edit.__name__ for edit in edits))


@pytest.mark.slow
def test_each_edit_changes_a_decision_in_some_project(tmp_path: Path) -> None:
    """What is compared shows the edits."""

    def decided(texts: Texts, root: Path) -> object:
        session = Session(root)
        session.change(texts, random.Random(0))
        return session.view().program.decided(OPTIONS).units

    first = decided(PROJECT, tmp_path / "first")
    for edit in {*EDITS} - {restore_file}:
        for seed in range(20):
            texts, root = dict(PROJECT), tmp_path / edit.__name__ / str(seed)
            edit(texts, random.Random(seed))
            root.mkdir(parents=True)
            if decided(texts, root) != first:
                break
        else:
            pytest.fail(edit.__name__)
