"""What a file keeps beside its content: owner, group, extended attributes and ACLs; and what it does not."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

import pytest

from gpu2ascend.project.files.writing import attributes, copying
from gpu2ascend.project.files.writing.attributes import Stamp, stamp_of, take_the_place_of
from gpu2ascend.project.files.writing.replacing import replace_file

ACL = "system.posix_acl_access"


def acl(*entries: tuple[int, int, int]) -> bytes:
    """A POSIX ACL as the kernel has it: tag, permissions and user of each entry."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


NOBODY = 0xFFFFFFFF
SHARED = acl((1, 6, NOBODY), (2, 6, 1234), (4, 4, NOBODY), (16, 6, NOBODY), (32, 0, NOBODY))
"""Its owner and user 1234 may write, its group may read, nobody else may do anything."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o640)
    return path


def extended(path: Path) -> dict[str, bytes]:
    return {name: os.getxattr(path, name) for name in os.listxattr(path) if name.startswith(("user.", ACL))}


def _copied(file: Path) -> Path:
    copying.copy_file(str(file), str(file.with_name("copy.py")))
    return file.with_name("copy.py")


def _migrated(file: Path) -> Path:
    content = copying.read_file(str(file))
    copying.write_file(str(file.with_name("new.py")), b"new", content.stamp, new=True)
    return file.with_name("new.py")


def _fixed(file: Path) -> Path:
    assert replace_file(file, b"old", b"new") == ()
    return file


@pytest.mark.parametrize("way", [_copied, _migrated, _fixed])
def test_extended_attributes_and_acls_are_kept(file: Path, way: object) -> None:
    os.setxattr(file, "user.note", b"mine")
    os.setxattr(file, ACL, SHARED)
    before, rights = extended(file), file.stat().st_mode
    assert set(before) == {"user.note", ACL}
    assert callable(way)
    made = way(file)
    assert (extended(made), made.stat().st_mode) == (before, rights)


def test_an_acl_that_new_files_of_the_directory_get_is_not_added(file: Path) -> None:
    os.setxattr(file.parent, "system.posix_acl_default", SHARED)
    assert replace_file(file, b"old", b"new") == ()
    assert extended(file) == {} and stat.S_IMODE(file.stat().st_mode) == 0o640


def test_what_lends_rights_to_the_content_or_signs_it_is_not_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "listxattr", lambda place: ["security.capability", "security.ima", "user.note"])
    monkeypatch.setattr(os, "getxattr", lambda place, name: b"value")
    with file.open("rb") as opened:
        assert stamp_of(opened.fileno()).extended == (("user.note", b"value"),)


def of_another(file: Path) -> os.stat_result:
    """The status of a file as if it belonged to another user and group."""
    status = list(file.stat())
    status[4:6] = [4321, 8765]
    return os.stat_result(status)


def test_the_owner_and_the_group_are_those_of_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "chown", lambda path, uid, gid, follow_symlinks: asked.append((uid, gid)))
    assert take_the_place_of(str(file), Stamp(0o640, 0), of_another(file)) == ()
    assert asked == [(-1, 8765), (4321, -1)]


@pytest.mark.parametrize(("given", "made"), [(0o664, 0o644), (0o640, 0o600), (0o666, 0o666), (0o775, 0o755)])
def test_what_cannot_be_kept_is_named_and_gives_nobody_more_rights(
    file: Path, monkeypatch: pytest.MonkeyPatch, given: int, made: int
) -> None:
    def refuse(*arguments: object, **keywords: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    monkeypatch.setattr(attributes.os, "setxattr", refuse)
    stamp = Stamp(given, 0, (("user.note", b"mine"),))
    assert take_the_place_of(str(file), stamp, of_another(file)) == ("group", "owner", "user.note")
    assert stat.S_IMODE(file.stat().st_mode) == made


def test_a_file_system_without_attributes_gets_the_copy(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.setxattr(file, "user.note", b"mine")

    def refuse(*arguments: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refuse)
    assert _copied(file).read_bytes() == b"old"
