"""Which of several places that give options counts for a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.options.layers import Layered, layered_options
from gpu2ascend_rules.model.hardware import Hardware
from tests.server.project.samples import Files

Make = Callable[[Files], Path]

TABLE = "[tool.gpu2ascend]\nversion = '2.1.0'\nhardware = 'A3'\nlanguage = 'zh'\n"


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No torch but that of the test."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)


def reported(layered: Layered) -> list[str]:
    """The ids of what is wrong."""
    return [problem.id for problem in layered.problems]


def test_the_editor_wins_over_the_file_and_the_file_over_the_defaults(make: Make) -> None:
    layered = layered_options(make({"pyproject.toml": TABLE}), [{}, {"version": "2.8.0"}])
    assert str(layered.options.version) == "2.8.0" and layered.options.hardware is Hardware.A3
    assert layered.language == "zh" and layered.source is not None and layered.problems == ()


def test_later_layers_win_and_null_says_nothing(make: Make) -> None:
    layers = [{"version": "2.6.0", "apiStyle": "torch.npu"}, {"version": "2.8.0", "apiStyle": None}]
    options = layered_options(make({"a.py": ""}), layers).options
    assert (str(options.version), options.api_style.value) == ("2.8.0", "torch.npu")


def test_a_bad_value_costs_only_itself(make: Make) -> None:
    layer = {"hardware": "V100", "version": "2.8.0", "nonsense": 1, "ignore": ["NPU999"]}
    layered = layered_options(make({"a.py": ""}), [layer])
    assert str(layered.options.version) == "2.8.0" and layered.options.hardware is Hardware.A2
    assert reported(layered) == ["project.setting"] * 3


def test_a_bad_file_costs_only_itself(make: Make) -> None:
    root = make({"pyproject.toml": "[tool.gpu2ascend\n"})
    layered = layered_options(root, [{"version": "2.8.0"}])
    assert str(layered.options.version) == "2.8.0" and reported(layered) == ["project.settings-syntax"]


def test_the_version_of_the_requirements_comes_before_that_of_an_environment(make: Make) -> None:
    environment = ".venv/lib/python3.11/site-packages/torch-2.1.0.dist-info/METADATA"
    root = make({environment: "", "requirements.txt": "torch==2.8.0\n"})
    assert str(layered_options(root, []).options.version) == "2.8.0"
    (root / "requirements.txt").write_text("torch\n")
    assert str(layered_options(root, []).options.version) == "2.1.0"


def test_the_interpreter_that_is_set_is_the_one_looked_at(make: Make) -> None:
    packages = "lib/python3.11/site-packages"
    root = make(
        {
            f".venv/{packages}/torch-2.1.0.dist-info/METADATA": "",
            f"other/{packages}/torch-2.8.0.dist-info/METADATA": "",
            "other/bin/python": "",
        }
    )
    assert str(layered_options(root, [], root / "other/bin/python").options.version) == "2.8.0"


def test_a_version_that_is_chosen_does_not_hide_what_was_found(make: Make) -> None:
    layered = layered_options(make({"requirements.txt": "torch==2.8.0\n"}), [{"version": "2.6.0"}])
    assert str(layered.options.version) == "2.6.0"
    assert layered.detected is not None and str(layered.detected.version) == "2.8.0"


def test_no_version_anywhere_is_no_problem_by_itself(make: Make) -> None:
    layered = layered_options(make({"a.py": ""}), [])
    assert layered.options.version is None and layered.detected is None and layered.problems == ()


def test_rules_of_the_users_own_are_read(make: Make) -> None:
    folder = make({"a.py": "", "rules.json": '{"rules": {"FuncNameModifyRule": []}}', "bad.json": "{"})
    good = layered_options(folder, [{"customRule": "rules.json", "version": "2.8.0"}])
    bad = layered_options(folder, [{"customRule": "bad.json", "version": "2.8.0"}])
    assert (reported(good), reported(bad)) == ([], ["custom.at"])
