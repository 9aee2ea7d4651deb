"""A file of the project is read once as long as it stays as it is. Counts, no seconds."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from gpu2ascend.project.index.sources import recent_texts
from gpu2ascend.project.index.sources.recent_texts import RecentTexts


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read."""
    names: list[str] = []
    read_inside = recent_texts.read_inside

    def noted(root: Path, path: str, limit: int | None = None) -> bytes:
        names.append(path.rpartition("/")[2])
        return read_inside(root, path, limit)

    monkeypatch.setattr(recent_texts, "read_inside", noted)
    return names


def written(path: Path, text: str, hours: int = 1) -> None:
    """Write a file that nobody has changed since."""
    path.write_text(text, encoding="utf-8")
    then = path.stat().st_mtime - 3600 * hours
    os.utime(path, (then, then))


def test_is_read_once(tmp_path: Path, read: list[str]) -> None:
    written(tmp_path / "a.py", "x = 1\n")
    texts = RecentTexts(str(tmp_path), 100)
    assert [texts.text_at("a.py") for _ in range(3)] == ["x = 1\n"] * 3
    assert read == ["a.py"]


def test_is_read_again_after_a_change(tmp_path: Path, read: list[str]) -> None:
    written(tmp_path / "a.py", "x = 1\n", hours=2)
    texts = RecentTexts(str(tmp_path), 100)
    texts.text_at("a.py")
    written(tmp_path / "a.py", "x = 2\n")
    assert texts.text_at("a.py") == "x = 2\n"
    (tmp_path / "a.py").unlink()
    assert texts.text_at("a.py") is None


def test_what_changed_just_now_is_read_each_time(tmp_path: Path, read: list[str]) -> None:
    texts = RecentTexts(str(tmp_path), 100)
    for text in ("x = 1\n", "x = 2\n"):
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        assert texts.text_at("a.py") == text


def looked_through(tmp_path: Path, names: tuple[str, ...]) -> list[str | None]:
    """The texts of files of a project, each of 450 characters, asked for in this order."""
    texts = RecentTexts(str(tmp_path), 1_000)
    for name in set(names):
        written(tmp_path / name, f"{name} = 1\n" * 45)
    return [texts.text_at(name) for name in names]


def test_who_looks_through_a_project_again_reads_no_file_again(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_texts, "_MOST_CHARACTERS", 1_000)
    names = ("a.py", "b.py", "c.py")
    assert looked_through(tmp_path, names * 3) == [f"{name} = 1\n" * 45 for name in names] * 3
    assert read == ["a.py", "b.py", "c.py"]


def test_of_a_project_larger_than_fits_the_same_texts_stay_and_none_is_compressed_twice(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packed: list[int] = []
    compress = recent_texts.zlib.compress
    monkeypatch.setattr(
        recent_texts.zlib, "compress", lambda data, level: packed.append(level) or compress(data, level)
    )
    monkeypatch.setattr(recent_texts, "_MOST_CHARACTERS", 1_000)
    monkeypatch.setattr(recent_texts, "_MOST_PACKED", 420)
    looked_through(tmp_path, ("a.py", "b.py", "c.py") * 3)
    assert len(packed) == 1
    assert [read.count(name) for name in ("a.py", "b.py", "c.py")] == [1, 3, 3]


@pytest.mark.parametrize(("name", "content"), [("large.py", b"x" * 101), ("no_text.py", b"\xff\xfe\xff")])
def test_what_is_no_text_or_too_large_is_none(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert RecentTexts(str(tmp_path), 100).text_at(name) is None


def test_what_lies_outside_is_none(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    written(tmp_path / "secret.py", "x = 1\n")
    (tmp_path / "project/link.py").symlink_to(tmp_path / "secret.py")
    assert RecentTexts(str(tmp_path / "project"), 100).text_at("link.py") is None


def test_goes_to_another_process_without_its_texts(tmp_path: Path, read: list[str]) -> None:
    written(tmp_path / "a.py", "x = 1\n")
    texts = RecentTexts(str(tmp_path), 100)
    texts.text_at("a.py")
    assert pickle.loads(pickle.dumps(texts)).text_at("a.py") == "x = 1\n"
    assert read == ["a.py", "a.py"]
