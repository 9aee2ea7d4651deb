"""Texts of a project by path: of its files, never of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.index.sources.project_texts import ProjectTexts
from gpu2ascend.project.index.sources.recent_texts import RecentTexts


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "requirements").mkdir(parents=True)
    (project / "requirements" / "a.txt").write_text("torch\n", encoding="utf-8")
    (project / "b.bin").write_bytes(b"\xff\xfe")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return project


def test_names_and_texts(root: Path) -> None:
    texts = ProjectTexts(RecentTexts(str(root)), {})
    assert texts.names_in("") == ("b.bin",) and texts.names_in("requirements") == ("a.txt",)
    assert texts.text_at("requirements/a.txt") == "torch\n"


def test_open_texts_count_in_place_of_files(root: Path) -> None:
    texts = ProjectTexts(
        RecentTexts(str(root)), {"requirements/a.txt": "numpy\n", "requirements/new.txt": ""}
    )
    assert texts.names_in("requirements") == ("a.txt", "new.txt")
    assert texts.text_at("requirements/a.txt") == "numpy\n"


@pytest.mark.parametrize("path", ["missing.txt", "requirements", "b.bin", "../secret.txt"])
def test_nothing_is_known_of(root: Path, path: str) -> None:
    assert ProjectTexts(RecentTexts(str(root)), {}).text_at(path) is None


def test_a_file_that_is_too_large_is_not_read(root: Path) -> None:
    assert ProjectTexts(RecentTexts(str(root), 3), {}).text_at("requirements/a.txt") is None


def test_a_directory_that_is_not_there_has_no_names(root: Path) -> None:
    assert ProjectTexts(RecentTexts(str(root)), {}).names_in("missing") == ()


def test_of_very_many_files_the_first_by_name_are_known(tmp_path: Path) -> None:
    for number in range(2_003):
        (tmp_path / f"{number:04}.txt").touch()
    assert ProjectTexts(RecentTexts(str(tmp_path)), {}).names_in("") == tuple(
        f"{number:04}.txt" for number in range(2_000)
    )


def test_directories_are_no_names(root: Path) -> None:
    (root / "requirements" / "below").mkdir()
    texts = ProjectTexts(RecentTexts(str(root)), {"requirements/other/c.txt": ""})
    assert texts.names_in("requirements") == ("a.txt",)
