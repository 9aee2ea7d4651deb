"""Files made by chance of the rules' examples and the sample project: none breaks, loses or changes twice.

``make proof`` examines 3,000 that are made of packages, too.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tools.proof.mutated.run import Examined, run
from tools.proof.mutated.sources import sources

COUNT = 500


@pytest.fixture(scope="module")
def examined() -> list[Examined]:
    return list(run(sources(), range(1, COUNT + 1)))


@pytest.mark.slow
def test_nothing_is_wrong_with_any_file(examined: list[Examined]) -> None:
    assert len(examined) > COUNT // 2
    assert not [(done.seed, done.file.path) for done in examined if done.verdict.violations]


@pytest.mark.slow
def test_fixes_change_files_of_most_kinds(examined: list[Examined]) -> None:
    changed = Counter(done.file.kind for done in examined if done.verdict.is_changed)
    assert {"python", "notebook", "shell", "yaml", "json", "dockerfile", "requirements"} <= changed.keys()
