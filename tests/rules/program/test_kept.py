"""What is kept of an earlier state of a project changes no decision, and saves following words again."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.flow.tracing.tracer import Tracer
from gpu2ascend_rules.model.project.decisions import ProjectDecisions
from gpu2ascend_rules.program.kept import _MOST, KeptPrograms
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
    "c/plain.py": "import b.kinds\n",
}
MORE = (
    "# a comment\n",
    "def put(x, where='cuda'):\n    xgboost.train({}, x, device=where)\n",
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--device', choices=['npu', 'cuda'])\n",
    "import flash_attn\ndef run(x):\n    return flash_attn.run(x)\n",
    "if device == 'cuda':\n    run(x)\nelse:\n    plain(x)\n",
    "from kinds import *\n",
    "print(KIND)\n",
    "def scaled(x):\n    return x * 2\n",
    "def run():\n    global KIND\n    KIND = 'cpu'\n",
    "class Other:\n    device = 'cpu'\n",
    "import sys\nif not x:\n    sys.exit()\n",
    "raise SystemExit\n",
    "loss = scaled(3)\n",
    "    return None\n",
    "",
)
EDITS = 6
"""Edits of each project, one after the other."""


def edited(text: str, choose: random.Random) -> str:
    """A text after an edit: without one of its lines, with one twice, or with some more."""
    lines = text.splitlines(keepends=True)
    place = choose.randrange(len(lines) + 1)
    more = choose.choice([*MORE, *lines[:place][-1:]])
    return "".join([*lines[:place], more, *lines[place + choose.randrange(2) :]])


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_after_random_edits_the_decisions_are_those_of_one_who_saw_no_earlier_state(
    name: str, tmp_path: Path
) -> None:
    project_of(PROJECTS[name], tmp_path)
    texts = {path: without_marks(text) for path, text in PROJECTS[name].items() if path.endswith(".py")}
    before, kept, choose = dict(texts), KeptPrograms(), random.Random(name)
    for _ in range(EDITS):
        assert ProjectFiles(tmp_path, texts=dict(texts)).program.decided(OPTIONS, kept) == fresh(
            tmp_path, texts
        ), texts
        for path in choose.sample(sorted(texts), choose.randint(1, len(texts))):
            texts[path] = before[path] if choose.random() < 0.3 else edited(texts[path], choose)


def fresh(root: Path, texts: Mapping[str, str]) -> ProjectDecisions:
    """What is decided about texts by one who saw no earlier state."""
    return ProjectFiles(root, texts=texts).program.decided(OPTIONS)


class TestWhatIsFollowedAgain:
    """After an edit in a project of two parts that share nothing."""

    @pytest.fixture
    def followed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The files whose words are followed, once all were."""
        self.kept = KeptPrograms()
        project_of(APART, tmp_path)
        self.first = ProjectFiles(tmp_path, texts=APART).program.decided(OPTIONS, self.kept)
        paths: list[str] = []
        follow = Tracer.follow

        def noted(tracer: Tracer, value: Any) -> Any:
            paths.append(value.file.path)
            return follow(tracer, value)

        monkeypatch.setattr(Tracer, "follow", noted)
        return paths

    def decided(self, root: Path, path: str, more: str) -> ProjectDecisions:
        return ProjectFiles(root, texts={**APART, path: APART[path] + more}).program.decided(
            OPTIONS, self.kept
        )

    def test_nothing_without_a_change(self, tmp_path: Path, followed: list[str]) -> None:
        assert self.decided(tmp_path, "a/put.py", "") is self.first
        assert followed == []

    def test_nothing_after_a_change_of_a_file_that_no_word_comes_to(
        self, tmp_path: Path, followed: list[str]
    ) -> None:
        assert self.decided(tmp_path, "c/plain.py", "x = 1\n") is self.first
        assert followed == []

    def test_the_words_that_come_to_the_changed_file(self, tmp_path: Path, followed: list[str]) -> None:
        self.decided(tmp_path, "a/put.py", "put = other\n")
        assert set(followed) == {"a/put.py", "a/train.py"}

    def test_nothing_after_an_edit_that_leaves_the_code_of_a_file(
        self, tmp_path: Path, followed: list[str]
    ) -> None:
        self.decided(tmp_path, "a/put.py", "# a comment\n")
        assert followed == []
        self.decided(tmp_path, "a/put.py", "put = other\n")
        assert set(followed) == {"a/put.py", "a/train.py"}

    @pytest.mark.parametrize(
        "more",
        [
            "other = put\n",
            "def scaled(x):\n    return x * 2\n",
            "class Net:\n    def __init__(self, size):\n        self.size = size\n",
            "print(1)\n",
        ],
    )
    def test_nothing_after_statements_to_which_no_question_leads(
        self, tmp_path: Path, followed: list[str], more: str
    ) -> None:
        self.decided(tmp_path, "a/put.py", more)
        assert followed == []
        assert ProjectFiles(tmp_path, texts=APART).program.decided(OPTIONS, self.kept) == self.first
        assert followed == []

    @pytest.mark.parametrize(
        "more",
        [
            "put = other\n",
            "put: object = other\n",
            "def other():\n    global put\n    put = print\n",
            "class put:\n    pass\n",
            "where = 'cuda'\n",
            "def other(x):\n    return x.to('cuda')\n",
            "from b.kinds import KIND as put\n",
            "if put:\n    put = None\n",
            "    x.to(where)\n",
            "def other(:\n",
        ],
    )
    def test_the_words_of_a_file_after_statements_that_may_answer_a_question(
        self, tmp_path: Path, followed: list[str], more: str
    ) -> None:
        assert self.decided(tmp_path, "a/put.py", more) == fresh(
            tmp_path, {**APART, "a/put.py": APART["a/put.py"] + more}
        )
        assert "a/put.py" in followed

    def test_those_that_a_new_use_may_concern(self, tmp_path: Path, followed: list[str]) -> None:
        self.decided(tmp_path, "c/plain.py", "print(b.kinds.KIND)\n")
        assert followed == ["b/kinds.py"]


BESIDE_CODE = ("# a comment\n", "\n", "    # it's \"so\n", "# first\n\n# second\n")
"""What may be written anywhere between two lines that do not go on, but behind a decorator."""


SERVED = "test_units: an option with the NPU's word stays"
"""A program that serves the NPU is named by the place of an option, so that all is followed again."""


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_edits_beside_the_code_move_the_decisions_and_follow_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_of(PROJECTS[name], tmp_path)
    texts = {path: without_marks(text) for path, text in PROJECTS[name].items() if path.endswith(".py")}
    kept, choose = KeptPrograms(), random.Random(name)
    ProjectFiles(tmp_path, texts=dict(texts)).program.decided(OPTIONS, kept)
    for _ in range(EDITS):
        path = choose.choice(sorted(texts))
        lines = texts[path].splitlines(keepends=True)
        places = [at for at in range(len(lines) + 1) if "@" not in "".join(lines[:at][-1:])]
        place = choose.choice(places)
        texts[path] = "".join([*lines[:place], choose.choice(BESIDE_CODE), *lines[place:]])
        expected = fresh(tmp_path, texts)
        with monkeypatch.context() as patch:
            if name != SERVED:
                patch.setattr(Tracer, "follow", _refuse)
            assert ProjectFiles(tmp_path, texts=dict(texts)).program.decided(OPTIONS, kept) == expected, texts


def _refuse(*given: object) -> object:
    raise AssertionError("a word is followed again")


def test_a_package_without_code_may_gain_the_function_that_takes_a_word(tmp_path: Path) -> None:
    texts = {"a/__init__.py": "", "run.py": "import torch\nfrom a import put\nput(x, 'cuda')\n"}
    project_of(texts, tmp_path)
    kept = KeptPrograms()
    before = ProjectFiles(tmp_path, texts=dict(texts)).program.decided(OPTIONS, kept)
    texts["a/__init__.py"] = "def put(x, where):\n    x.to(where)\n"
    after = ProjectFiles(tmp_path, texts=dict(texts)).program.decided(OPTIONS, kept)
    assert after == fresh(tmp_path, texts) != before


def test_of_few_projects_anything_is_kept(tmp_path: Path) -> None:
    kept = KeptPrograms()
    for number in range(_MOST + 1):
        root = tmp_path / str(number)
        project_of(APART, root).program.decided(OPTIONS, kept)
    assert len(kept) == _MOST
