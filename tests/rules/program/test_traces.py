"""What is kept of an earlier state of a project changes no decision, and saves following words again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.model.decisions import ProjectDecisions
from gpu2ascend_rules.program import traces
from gpu2ascend_rules.program.tracing.tracer import Tracer
from tests.rules.program import test_constants, test_fields, test_options, test_parameters, test_results
from tests.rules.program import test_units as of_units
from tests.rules.program.marked import OPTIONS, project_of, without_marks

PROJECTS: dict[str, Mapping[str, str]] = {
    f"{module.__name__.rpartition('.')[2]}: {name}": files
    for module in (test_constants, test_fields, test_options, test_parameters, test_results, of_units)
    for name, files in module.PROJECTS.items()
}
APART = {
    "a/put.py": "import torch\ndef put(x, where='cuda'):\n    x.to(where)\n",
    "a/train.py": "from a.put import put\nput(x, 'cuda')\n",
    "b/kinds.py": "KIND = 'cuda'\n",
    "b/run.py": "import torch\nfrom b.kinds import KIND\nx.to(torch.device(KIND))\n",
    "c/plain.py": "import os\n",
}


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep nothing of any project."""
    monkeypatch.setattr(traces, "_KEPT", traces._Kept())


def edits(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Texts that an editor may have of files: with a line more, without one, and with a line at the end."""
    for path, marked in files.items():
        text = without_marks(marked)
        lines = text.splitlines(keepends=True)
        yield path, f"# a comment\n{text}"
        yield path, f"{text}def put(x, where='cuda'):\n    xgboost.train({{}}, x, device=where)\n"
        for number in range(len(lines)):
            yield path, "".join([*lines[:number], *lines[number + 1 :]])


@pytest.mark.parametrize("name", PROJECTS)
def test_after_each_edit_the_decisions_are_those_of_one_who_saw_no_earlier_state(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_of(PROJECTS[name], tmp_path).decided(OPTIONS)
    texts = list(edits(PROJECTS[name]))
    after = [ProjectFiles(tmp_path, texts={path: text}).decided(OPTIONS) for path, text in texts]
    for (path, text), found in zip(texts, after, strict=True):
        forget(monkeypatch)
        assert found == ProjectFiles(tmp_path, texts={path: text}).decided(OPTIONS), (path, text)


class TestWhatIsFollowedAgain:
    """After an edit in a project of two parts that share nothing."""

    @pytest.fixture
    def followed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The files whose words are followed, once all were."""
        project_of(APART, tmp_path).decided(OPTIONS)
        paths: list[str] = []
        follow = Tracer.follow

        def noted(tracer: Tracer, value: Any) -> Any:
            paths.append(value.file.path)
            return follow(tracer, value)

        monkeypatch.setattr(Tracer, "follow", noted)
        return paths

    def decided(self, root: Path, path: str, more: str) -> ProjectDecisions:
        return ProjectFiles(root, texts={path: APART[path] + more}).decided(OPTIONS)

    def test_nothing_without_a_change(self, tmp_path: Path, followed: list[str]) -> None:
        assert len(self.decided(tmp_path, "a/put.py", "").units) == 2
        assert followed == []

    def test_nothing_after_a_change_of_a_file_that_no_word_comes_to(
        self, tmp_path: Path, followed: list[str]
    ) -> None:
        self.decided(tmp_path, "c/plain.py", "import sys\nx = 1\n")
        assert followed == []

    def test_the_words_that_come_to_the_changed_file(self, tmp_path: Path, followed: list[str]) -> None:
        self.decided(tmp_path, "a/put.py", "# a comment\n")
        assert set(followed) == {"a/put.py", "a/train.py"}

    def test_those_that_a_new_import_may_concern(self, tmp_path: Path, followed: list[str]) -> None:
        self.decided(tmp_path, "c/plain.py", "from b.kinds import KIND\nprint(KIND)\n")
        assert followed == ["b/kinds.py"]

    def test_those_that_a_new_file_may_concern(self, tmp_path: Path, followed: list[str]) -> None:
        (tmp_path / "a" / "more.py").write_text("from b.kinds import KIND\nprint(KIND)\n")
        self.decided(tmp_path, "c/plain.py", "")
        assert followed == ["b/kinds.py"]


def test_of_few_projects_anything_is_kept(tmp_path: Path) -> None:
    kept = traces._Kept()
    for number in range(2 * traces._MOST_PROJECTS):
        kept.put(number, {"": traces.Trace((), traces.Notes())})
    assert [bool(kept.get(number)) for number in range(2 * traces._MOST_PROJECTS)] == [
        *[False] * traces._MOST_PROJECTS,
        *[True] * traces._MOST_PROJECTS,
    ]
