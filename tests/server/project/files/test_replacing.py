"""New content in the place of a file: whole or not at all, and nothing that a person did to it is lost."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.errors import KeptError, OutputError
from gpu2ascend.project.files.writing import replacing
from gpu2ascend.project.files.writing.replacing import put_file, replace_file
from tests.server.project.samples import names


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o640)
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_link_stays_a_link_to_the_changed_file(file: Path) -> None:
    link = file.with_name("link.py")
    link.symlink_to("a.py")
    assert replace_file(link, b"old", b"new") == ()
    assert (file.read_bytes(), mode(file), link.is_symlink()) == (b"new", 0o640, True)
    assert names(file.parent) == ["a.py", "link.py"]


def test_a_system_that_refuses_leaves_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OutputError) as caught:
        replace_file(file, b"old", b"new")
    assert caught.value.message.id == "project.disk-full"
    assert names(file.parent) == ["a.py"] and file.read_bytes() == b"old"


def _rewritten(file: Path) -> None:
    file.write_bytes(b"mine")


def _rewritten_in_the_same_length(file: Path) -> None:
    file.write_bytes(b"owl")


def _replaced(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"mine")
    other.replace(file)


def _deleted(file: Path) -> None:
    file.unlink()


def _a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


CHANGES: list[Callable[[Path], None]] = [
    _rewritten,
    _rewritten_in_the_same_length,
    _replaced,
    _deleted,
    _a_pipe,
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", ["before it is written", "while it is written"])
def test_what_somebody_did_to_the_file_meanwhile_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], moment: str
) -> None:
    after: list[object] = []

    def changed() -> None:
        change(file)
        there = os.path.lexists(file)
        after.append((there, there and file.is_file() and file.read_bytes()))

    if moment == "before it is written":
        changed()
    else:
        real = replacing.take_the_place_of

        def take(*arguments: object) -> object:
            changed()
            return real(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(replacing, "take_the_place_of", take)
    with pytest.raises(KeptError) as caught:
        replace_file(file, b"old", b"new")
    assert caught.value.message.id == "project.changed-meanwhile"
    there = os.path.lexists(file)
    assert after == [(there, there and file.is_file() and file.read_bytes())]
    assert {*names(file.parent)} <= {"a.py"}


def test_permissions_that_somebody_took_away_meanwhile_count(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = replacing.take_the_place_of

    def take(*arguments: object) -> object:
        file.chmod(0o400)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(replacing, "take_the_place_of", take)
    with pytest.raises(KeptError):
        replace_file(file, b"old", b"new")
    assert (file.read_bytes(), mode(file)) == (b"old", 0o400)


def test_a_write_protected_file_is_changed_only_if_that_is_asked_for(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(KeptError) as caught:
        replace_file(file, b"old", b"new")
    assert caught.value.message.id == "project.read-only" and file.read_bytes() == b"old"
    assert replace_file(file, b"old", b"new", read_only=True) == ()
    assert (file.read_bytes(), mode(file)) == (b"new", 0o444)


def test_so_is_a_file_that_this_user_may_not_write_to(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, rights: False)
    with pytest.raises(KeptError) as caught:
        replace_file(file, b"old", b"new")
    assert caught.value.message.id == "project.read-only"


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_with_another_name_stays_under_both(file: Path, tmp_path: Path, read_only: bool) -> None:
    other = tmp_path / "other.py"
    other.hardlink_to(file)
    with pytest.raises(KeptError) as caught:
        replace_file(file, b"old", b"new", read_only=read_only)
    assert caught.value.message.id == "project.hard-links"
    assert file.samefile(other) and other.read_bytes() == b"old"


def test_the_rights_of_another_user_are_not_lent_to_the_new_content(file: Path) -> None:
    file.chmod(0o6755)
    replace_file(file, b"old", b"new")
    assert mode(file) == 0o755


def test_until_it_is_whole_the_new_content_is_its_owners_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rights: list[int] = []
    chmod = os.chmod

    def noted(path: str, given: int) -> None:
        rights.append(mode(Path(path)))
        assert Path(path).read_bytes() == b"new"
        chmod(path, given)

    monkeypatch.setattr(os, "chmod", noted)
    replace_file(file, b"old", b"new")
    assert rights == [0o600]


def test_a_file_that_is_made_anew_takes_the_place_of_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs")
    place = tmp_path / "README.md"
    place.symlink_to(outside)
    usual = os.umask(0o027)
    try:
        put_file(place, b"ours")
    finally:
        os.umask(usual)
    assert (place.is_symlink(), place.read_bytes(), mode(place)) == (False, b"ours", 0o640)
    assert outside.read_bytes() == b"theirs"
