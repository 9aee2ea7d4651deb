"""The programs of a small project, as tests ask about them."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend.project.entries.facts.collected import program_facts
from gpu2ascend.project.entries.model import EntryKind
from gpu2ascend.project.entries.programs import Programs
from tests.server.project.samples import Files, make_tree

STEP = "def fit(loss, optimizer):\n    loss.backward()\n    optimizer.step()\n"
MAIN = 'if __name__ == "__main__":\n    main()\n'
CLASS = "class Agent:\n    def update(self, loss):\n        loss.backward()\n"


def programs(root: Path, files: Files, *chosen: str) -> Programs:
    """Those of a project with these files."""
    return Programs(root, program_facts(make_tree(root, files), (), 1_000), chosen)


def kinds(found: Programs) -> dict[str, EntryKind]:
    """The kinds of the entries by their paths."""
    return {entry.path: entry.kind for entry in found.entries}


def beside(found: Programs, *paths: str) -> dict[str, bool]:
    """Which of the files nothing that trains reaches."""
    return {path: found.way_of(path).is_outside for path in paths}
