"""Settings in pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.errors import SettingsError
from gpu2ascend.project.options.settings import find_settings, settings_of_folder
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from tests.server.project.samples import make_tree


def test_the_nearest_file_with_our_table_counts(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[tool.gpu2ascend]\nversion = '2.1.0'\n",
        "sub/pyproject.toml": "[tool.gpu2ascend]\nversion = '2.8.0'\nexclude = ['vendor']\nlanguage = 'zh'\n",
        "sub/deep/pyproject.toml": "[project]\nname = 'deep'\n",
        "sub/deep/a.py": "",
        ".git/HEAD": "",
    }
    root = make_tree(tmp_path, files)
    settings = find_settings(root / "sub/deep/a.py")
    assert settings is not None
    assert settings.path == root / "sub/pyproject.toml"
    assert str(settings.options.version) == "2.8.0"
    assert settings.options.exclude == ("vendor",)
    assert settings.language == "zh"


def test_no_table_no_settings(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"pyproject.toml": "[tool.other]\nx = 1\n"})
    settings = find_settings(root)
    assert settings is None or settings.path.parent != root


@pytest.mark.parametrize("text", ["[project\nname = 'x'\n", b"# \xff\n"])
def test_a_broken_file_without_our_table_is_told_and_passed_over(tmp_path: Path, text: str | bytes) -> None:
    root = make_tree(tmp_path, {"pyproject.toml": text, ".git/x": ""})
    told: list[Message] = []
    assert find_settings(root, tell=told.append) is None
    (message,) = told
    assert message.id == "project.settings-none" and str(root / "pyproject.toml") in render(message)


def test_above_a_broken_file_settings_count(tmp_path: Path) -> None:
    table = "[tool.gpu2ascend]\nversion = '2.8.0'\n"
    root = make_tree(tmp_path, {"pyproject.toml": table, ".git/x": "", "a/pyproject.toml": "[project\n"})
    settings = find_settings(root / "a")
    assert settings is not None and settings.path == root / "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[tool.gpu2ascend]\nverison = '2.8.0'\n", "verison"),
        ("[tool.gpu2ascend]\nversion = 2.8\n", "version"),
        ("[tool.gpu2ascend]\nversion = '1.13'\n", "unknown PyTorch version '1.13'"),
        ("[tool.gpu2ascend]\nhardware = 'V100'\n", "V100"),
        ("[tool.gpu2ascend]\nlanguage = 'fr'\n", "fr"),
        ("[tool]\ngpu2ascend = 1\n", "table"),
        ("[tool.gpu2ascend\n", "not valid TOML"),
        (b"[tool.gpu2ascend]\n# \xff\n", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_reported_with_the_file(tmp_path: Path, text: str | bytes, reason: str) -> None:
    root = make_tree(tmp_path, {"pyproject.toml": text})
    with pytest.raises(SettingsError) as caught:
        find_settings(root)
    assert reason in str(caught.value) and str(root / "pyproject.toml") in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "below"),
    [
        ("vendor", ("vendor",)),
        ("**/generated", ("**/generated",)),
        ("src/pkg", ("/pkg",)),
        ("./src/pkg/", ("/pkg",)),
        ("/src/*.py", ("/*.py",)),
        ("s*/pkg", ("*/pkg", "/pkg")),
        ("other/pkg", ()),
        ("src/", ("src/",)),
        ("/src", ()),
    ],
)
def test_patterns_with_a_slash_are_from_the_settings_directory(
    tmp_path: Path, pattern: str, below: tuple[str, ...]
) -> None:
    text = f"[tool.gpu2ascend]\nexclude = ['{pattern}']\ncopy = ['{pattern}']\n"
    root = make_tree(tmp_path, {"pyproject.toml": text, "src/a.py": "", ".git/HEAD": ""})
    settings = find_settings(root / "src")
    assert settings is not None
    options = settings_of_folder(settings, root / "src").options
    assert (options.exclude, options.copy) == (below, below)
    assert settings_of_folder(settings, root) == settings


def test_an_entry_outside_of_a_part_is_none_of_it(tmp_path: Path) -> None:
    text = "[tool.gpu2ascend]\nentries = ['src/a.py', 'b.py']\n"
    root = make_tree(tmp_path, {"pyproject.toml": text, "src/a.py": "", "b.py": "", ".git/HEAD": ""})
    settings = find_settings(root / "src")
    assert settings is not None and len(settings.options.entries) == 2
    assert settings_of_folder(settings, root / "src").options.entries == (str(root / "src/a.py"),)
