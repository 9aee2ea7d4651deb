"""What the next state of a project takes over from the one before, and reads again. Counts, no seconds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpu2ascend.project.index import view
from gpu2ascend.project.index.sources.recent_texts import RecentTexts
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.program.kept import KeptPrograms

OPTIONS = MigrationOptions(version="2.8.0")
FILES = {
    "train.py": "import torch\nimport yaml\n\nsettings = yaml.safe_load(open('conf/a.yaml'))\n"
    "x = torch.ones(2).to(settings['device'])\n",
    "options.py": "import argparse\n\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--device', default='cuda')\n",
    "plain.py": "def add(a, b):\n    return a + b\n",
    "conf/a.yaml": "device: cuda\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that nobody has changed for an hour."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    aged(tmp_path)
    return tmp_path


def aged(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        then = path.stat().st_mtime - 3600
        os.utime(path, (then, then))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is read of the project: files, and ``configurations`` for all of these."""
    found: list[str] = []

    of_text, of_configurations = RecentTexts._read, vars(view)["configurations"]

    def content(texts: RecentTexts, path: str) -> str | None:
        found.append(path.rpartition("/")[2])
        return of_text(texts, path)

    def configurations(*given: object) -> object:
        found.append("configurations")
        return of_configurations(*given)

    monkeypatch.setattr(RecentTexts, "_read", content)
    monkeypatch.setattr(view, "configurations", configurations)
    return found


def decided(root: Path, texts: Mapping[str, str], kept: KeptPrograms | None) -> object:
    return ProjectFiles(root, texts=texts).program.decided(OPTIONS, kept)


def test_after_an_edit_to_which_no_word_leads_nothing_is_read_again(project: Path, read: list[str]) -> None:
    kept = KeptPrograms()
    first = decided(project, {}, kept)
    assert "configurations" in read and "options.py" in read
    read.clear()
    assert decided(project, {"plain.py": FILES["plain.py"] + "x = 1\n"}, kept) == first
    assert read == []


def test_a_configuration_that_changes_is_read_again(project: Path, read: list[str]) -> None:
    kept = KeptPrograms()
    first = decided(project, {}, kept)
    read.clear()
    (project / "conf/a.yaml").write_text("device: cpu\n", encoding="utf-8")
    second = decided(project, {}, kept)
    assert "configurations" in read
    assert second == decided(project, {}, None) != first


@pytest.mark.parametrize("name", ["conf/b.yaml", "c.yaml", "more/d.yaml"])
def test_a_configuration_that_comes_is_read(project: Path, read: list[str], name: str) -> None:
    kept = KeptPrograms()
    decided(project, {}, kept)
    read.clear()
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("device: cuda\n", encoding="utf-8")
    words = ProjectFiles(project)
    assert decided(project, {}, kept) == decided(project, {}, None)
    assert name in {word.path for word in words.setting_words}
    assert "configurations" in read


def test_what_was_changed_just_now_is_looked_at_again(project: Path, read: list[str]) -> None:
    (project / "conf/a.yaml").write_text("device: cuda\n", encoding="utf-8")
    kept = KeptPrograms()
    decided(project, {}, kept)
    read.clear()
    decided(project, {}, kept)
    assert "configurations" in read


def test_an_open_configuration_counts(project: Path) -> None:
    kept = KeptPrograms()
    first = decided(project, {}, kept)
    texts = {"conf/a.yaml": "device: cpu\n"}
    assert decided(project, texts, kept) == decided(project, texts, None) != first
    assert decided(project, {}, kept) == first
