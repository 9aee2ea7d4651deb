"""Regular files are opened; pipes, links where none may be, devices' names and what is too large are not."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from gpu2ascend.project.regular_files import (
    NotRegularError,
    OutsideError,
    TooLargeError,
    is_device_name,
    open_regular,
    read_at_most,
    read_inside,
    read_regular,
    real_inside,
    require_regular,
)

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and links")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "a.txt"
    path.write_bytes(b"0123456789")
    return path


@pytest.mark.parametrize(
    "path",
    [
        "con", "NUL", "aux.txt", "com1", "lpt9.tar.gz", "COM¹", "conin$", "nul:", "com1:stream", "prn .txt",
        "C:\\data\\con", "data/nul.py", "\\\\.\\pipe\\x", "//./com1", "\\\\?\\GLOBALROOT\\x",
        "\\\\?\\pipe\\x",
    ],
)  # fmt: skip
def test_names_that_windows_takes_for_devices(path: str) -> None:
    assert is_device_name(path)


@pytest.mark.parametrize(
    "path",
    [
        "console",
        "null",
        "com",
        "com10",
        "a.con",
        "nul/a.py",
        "C:\\con\\a.py",
        "c:",
        "x.nul.txt",
        "\\\\?\\C:\\x",
        "",
    ],
)
def test_names_that_only_resemble_them(path: str) -> None:
    assert not is_device_name(path)


def test_a_file_is_read_whole(file: Path) -> None:
    assert read_regular(file) == b"0123456789"
    with open_regular(file) as opened:
        assert opened.read() == b"0123456789"


def test_a_file_as_large_as_the_limit_is_read_and_a_larger_one_is_not(file: Path) -> None:
    assert read_regular(file, 10) == b"0123456789"
    with pytest.raises(TooLargeError) as caught:
        read_regular(file, 9)
    assert caught.value.filename == str(file)


@pytest.mark.parametrize(("limit", "expected"), [(0, b""), (3, b"abc"), (7, b"abcdefg"), (8, b"abcdefg")])
@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_so_much_is_read_and_no_more(limit: int, expected: bytes, block: int) -> None:
    stream = io.BytesIO(b"abcdefg")
    assert read_at_most(stream, limit, block) == expected
    assert stream.tell() == len(expected)


@POSIX
def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(NotRegularError):
            open_regular(path)
        with pytest.raises(NotRegularError):
            require_regular(path)


@POSIX
def test_a_link_is_followed_where_it_may_be(file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to(file)
    require_regular(link)
    assert read_regular(link) == b"0123456789"
    with pytest.raises(NotRegularError):
        require_regular(link, follow=False)
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(link, follow=False)


@POSIX
def test_what_lies_inside_a_directory_is_read_also_by_a_link(file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to(file)
    assert read_inside(file.parent, link) == b"0123456789"
    assert real_inside(file.parent, link) == os.path.realpath(file)
    with pytest.raises(TooLargeError):
        read_inside(file.parent, link, 9)


def test_a_path_without_links_is_resolved_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(os.path.realpath(file.parent))
    resolved: list[str] = []
    realpath = os.path.realpath

    def noted(path: str | os.PathLike[str]) -> str:
        resolved.append(os.fspath(path))
        return realpath(path)

    monkeypatch.setattr(os.path, "realpath", noted)
    assert real_inside(root, str(root / file.name)) == str(root / file.name) == resolved.pop()
    assert not resolved
    with pytest.raises(OutsideError):
        real_inside(root, str(root.parent / file.name))


@POSIX
def test_what_lies_outside_is_not_nor_where_a_link_leads_there(file: Path, tmp_path: Path) -> None:
    (tmp_path / "in2").mkdir()
    beside = tmp_path / "in2" / "b.txt"
    beside.write_text("secret")
    link = file.with_name("link")
    link.symlink_to(beside)
    for path in (beside, link, file.parent / ".." / "in2" / "b.txt", file.parent):
        with pytest.raises(OutsideError):
            read_inside(file.parent, path)
