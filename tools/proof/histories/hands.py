"""Edits such as a person makes in a migrated project, each with a word by which it is found again."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import attrs


@attrs.define
class Hands:
    """Makes the edits; the same for the same seed."""

    directory: Path
    seed: str
    words: list[str] = attrs.field(factory=list)

    def edit(self, paths: Iterable[str], count: int) -> None:
        """Change a line and insert one in each of so many files."""
        chance = random.Random(self.seed)
        fit = [path for path in sorted(paths) if len(self._lines(path)) > 4]
        for path in sorted(chance.sample(fit, min(count, len(fit)))):
            lines = self._lines(path)
            places = [
                at for at, line in enumerate(lines) if line.strip() and not line.rstrip().endswith("\\")
            ]
            changed, inserted = chance.choice(places), chance.choice(places)
            lines[changed] = f"{lines[changed].rstrip()}  # {self._word()}"
            indentation = lines[inserted][: len(lines[inserted]) - len(lines[inserted].lstrip())]
            lines.insert(inserted + 1, f"{indentation}# {self._word()}")
            self._path(path).write_text("\n".join(lines), encoding="utf-8", newline="")

    def move(self, path: str) -> None:
        """Give a file another name."""
        self._path(path).rename(self._path(f"{path.removesuffix('.py')}_moved.py"))

    def add(self) -> None:
        """Write a file of one's own."""
        self._path("by_hand.py").write_text(f"# {self._word()}\n", encoding="utf-8")

    def lost(self) -> list[str]:
        """Words that are no longer in the project exactly once."""
        texts = [
            path.read_text(encoding="utf-8", errors="replace")
            for path in self.directory.rglob("*.py")
            if path.is_file() and ".git" not in path.parts
        ]
        return [word for word in self.words if sum(text.count(word) for text in texts) != 1]

    def _word(self) -> str:
        self.words.append(f"hand-{len(self.words):04d}-{self.seed}")
        return self.words[-1]

    def _path(self, path: str) -> Path:
        return self.directory / path

    def _lines(self, path: str) -> list[str]:
        try:
            return self._path(path).read_bytes().decode("utf-8").split("\n")
        except (OSError, UnicodeDecodeError):
            return []
