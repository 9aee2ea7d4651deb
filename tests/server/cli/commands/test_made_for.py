"""A migrated project is judged by the options that it was made with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.project.manifest.marker import MARKER_NAME
from gpu2ascend.project.options.layers import layered_options
from gpu2ascend.project.options.made_for import made_for
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.options.choices import ApiStyle

from ..conftest import TRAIN, Run, make_project

COPIED = {"version": "2.13.0", "hardware": "A2"}
"""What the editor's settings of the original say; an editor sends them for the copy, too."""
TABLE = "[tool.gpu2ascend]\nversion = '2.13.0'\n"


@pytest.fixture
def result(run: Run, tmp_path: Path) -> Path:
    """A project with settings of its own, migrated with others."""
    files = {
        "train.py": TRAIN,
        "deep/part.py": TRAIN,
        "pyproject.toml": TABLE,
        ".vscode/settings.json": json.dumps({"gpu2ascend.version": "2.13.0"}),
    }
    project = make_project(tmp_path / "proj", files)
    options = ("-v", "2.7.1", "--hardware", "A3", "--ignore", "NPU520", "--severity", "NPU101=hint")
    assert run("migrate", "-i", project, "-o", tmp_path / "out", *options).code in (0, 1)
    return tmp_path / "out" / "proj_msft"


def chosen(place: Path, editor: dict[str, object]) -> tuple[str, Hardware]:
    """The version and hardware that count for an editor with these settings."""
    options = layered_options(place, [editor]).options
    return str(options.version), options.hardware


@pytest.mark.parametrize("place", ["", "deep"])
def test_its_options_win_over_copied_settings(result: Path, place: str) -> None:
    assert chosen(result / place, COPIED) == ("2.7.1", Hardware.A3)
    options = layered_options(result / place, [COPIED]).options
    assert (options.ignore, options.severities) == (("NPU520",), ("NPU101=hint",))


def test_defaults_win_over_copied_settings_too(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "plain", {"train.py": TRAIN})
    assert run("migrate", "-i", project, "-o", tmp_path / "out", "-v", "2.8.0").code in (0, 1)
    copied = {"hardware": "A3", "apiStyle": "torch.npu", "ignore": ["NPU101"], "unsafeFixes": True}
    migrated, original = (
        layered_options(place, [copied]).options for place in (tmp_path / "out/plain_msft", project)
    )
    assert (migrated.hardware, migrated.api_style) == (Hardware.A2, ApiStyle.TORCH_NPU)
    assert (migrated.ignore, migrated.unsafe_fixes) == ((), False)
    assert (original.hardware, original.ignore) == (Hardware.A3, ("NPU101",))


def test_settings_that_were_changed_in_it_win(result: Path) -> None:
    (result / ".vscode" / "settings.json").write_text('{"gpu2ascend.version": "2.8.0"}')
    assert chosen(result, {"version": "2.8.0"}) == ("2.8.0", Hardware.A3)


def test_a_table_that_was_changed_in_it_wins(result: Path, run: Run) -> None:
    assert json.loads(run("analyze", result, "--json").out)["version"] == "2.7.1"
    (result / "pyproject.toml").write_text(TABLE.replace("2.13.0", "2.6.0"))
    assert json.loads(run("analyze", result, "--json").out)["version"] == "2.6.0"


def test_a_flag_wins_over_all(result: Path, run: Run) -> None:
    assert json.loads(run("analyze", result, "-v", "2.8.0", "--json").out)["version"] == "2.8.0"


def test_the_original_keeps_its_own(result: Path, tmp_path: Path) -> None:
    assert made_for(result) is not None
    assert made_for(tmp_path / "proj") is None
    assert chosen(tmp_path / "proj", {})[0] == "2.13.0"


def test_a_marker_of_somebody_else_chooses_no_files_and_no_nonsense(result: Path) -> None:
    content = json.loads((result / MARKER_NAME).read_text())
    content["options"] = {
        "custom_rule": "/etc/passwd",
        "main_file": "../x.py",
        "api_files": ["/etc/hosts"],
        "max_file_size": 5000,
        "hardware": "Z80",
        "unheard": 1,
        "select": ["NPU101"],
    }
    (result / MARKER_NAME).write_text(json.dumps(content))
    made = made_for(result)
    assert made is not None
    assert dict(made.values) == {"target": "torch_npu", "version": "2.7.1", "select": ["NPU101"]}


def test_one_above_a_repository_does_not_count(result: Path) -> None:
    (result / "deep" / ".git").mkdir()
    assert made_for(result) is not None
    assert made_for(result / "deep") is None
