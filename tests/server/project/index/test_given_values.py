"""What the files of a project give a setting: nobody looks further once it has no single value. Counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.flow.guards.settings import ON
from gpu2ascend_rules.program.serving import cuda_needs, given_settings
from gpu2ascend_rules.text.plain.python_files import is_trial_path
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import project_of

MANY = {f"run_{name}.py": f"import model\nmodel.Model(fused={name == 'b'})\n" for name in "abcde"}
READS = {
    f"use_{name}.py": "import other\ndef use(args):\n    return args.fused or args.fused_twice\n"
    for name in "fgh"
}
PARAMETER = {"model.py": "class Model:\n    def __init__(self, size, fused): ...\n"}


@pytest.fixture
def looked_into(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that are parsed for an answer."""
    paths: list[str] = []
    python_at = ProjectFiles.python_at

    def noted(project: ProjectFiles, path: str) -> SourceFile | None:
        paths.append(path)
        return python_at(project, path)

    monkeypatch.setattr(ProjectFiles, "python_at", noted)
    return paths


def test_two_values_are_enough(tmp_path: Path, looked_into: list[str]) -> None:
    given = project_of(MANY, tmp_path).cuda.given_values("fused")
    assert len(given) == 2
    assert looked_into == ["run_a.py", "run_b.py"]


def test_one_value_is_that_of_all_files(tmp_path: Path, looked_into: list[str]) -> None:
    files = {path: text for path, text in MANY.items() if path != "run_b.py"}
    assert len(project_of(files, tmp_path).cuda.given_values("fused")) == 1
    assert looked_into == sorted(files)


def test_a_configuration_comes_before_the_code(tmp_path: Path, looked_into: list[str]) -> None:
    files = {"a.yaml": "fused: true\n", "b.yaml": "fused: false\n", **MANY}
    assert len(project_of(files, tmp_path).cuda.given_values("fused")) == 2
    assert not looked_into


@pytest.mark.parametrize("spelled", ["FUSED", "Fused", "fu\N{LATIN SMALL LETTER LONG S}ed"])
def test_patterns_search_only_texts_with_the_word_in_any_case(
    spelled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    in_text = given_settings._in_text

    def noted(pattern: re.Pattern[str], text: str, path: str) -> Iterator[str]:
        searched.append(path)
        return in_text(pattern, text, path)

    monkeypatch.setattr(given_settings, "_in_text", noted)
    files = {"a.yaml": "other: false\n", "b.yaml": f"{spelled}: true\n", **PARAMETER}
    assert project_of(files, tmp_path).cuda.given_values("fused") == {ON}
    assert searched == ["b.yaml"]


def test_all_questions_go_through_modules_that_are_told_from_tests_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def noted(path: str) -> bool:
        asked.append(path)
        return is_trial_path(path)

    monkeypatch.setattr(cuda_needs, "is_trial_path", noted)
    cuda = project_of({**MANY, "tests/test_a.py": "import model\nmodel.Model(fused=None)\n"}, tmp_path).cuda
    assert len(cuda.given_values("fused")) == 2
    assert not cuda.given_values("fused_twice")
    assert sorted(asked) == sorted((*MANY, "tests/test_a.py"))


def test_a_module_that_only_reads_the_setting_is_not_parsed(tmp_path: Path, looked_into: list[str]) -> None:
    assert not project_of(READS, tmp_path).cuda.given_values("fused")
    assert not looked_into


@pytest.mark.parametrize(
    "text",
    [
        "config.fused = True\n",
        "fused: bool = True\n",
        "def run(fused=True): ...\n",
        "run(fused  # both\n    =True)\n",
        "other = config.fused = True\n",
        "config['fused'] = True\n",
        "config = {'fused': True}\n",
        "parser.add_argument('--fused', default=True)\n",
        "setattr(config, 'fused', True)\n",
        "fused \\\n    = True\n",
    ],
)
def test_a_module_that_may_give_it_is(text: str, tmp_path: Path, looked_into: list[str]) -> None:
    project_of({"a.py": f"import other\n{text}"}, tmp_path).cuda.given_values("fused")
    assert looked_into == ["a.py"]


@pytest.mark.parametrize(
    ("calls", "count"),
    [({"a.py": "Model(1, False)\n", "b.py": "Model(1, True)\n", "c.py": "Model(1, True)\n"}, 2),
     ({"a.py": "Model(1, True)\n", "b.py": "Model(2, True)\n", "c.py": "Model(3, True)\n"}, 1)],
)  # fmt: skip
def test_the_calls_of_a_function_are_looked_at_as_far(
    calls: Mapping[str, str], count: int, tmp_path: Path, looked_into: list[str]
) -> None:
    files = {path: f"from model import Model\n{text}" for path, text in calls.items()}
    given = project_of({**PARAMETER, **files}, tmp_path).cuda.given_values("fused", "Model", 1)
    assert len(given) == count
    assert ("c.py" in looked_into) is (count == 1)
