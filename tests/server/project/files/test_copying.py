"""What a copy keeps: permissions, times, links; and what it leaves out."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.files.writing import copying
from gpu2ascend.project.files.writing.copying import make_directory, read_file
from gpu2ascend.project.report.result import FileStatus
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, PLAIN, Files

Make = Callable[[Files], Path]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_permissions_survive(run: Migrate, make: Make) -> None:
    root = make({"a.py": CUDA, "run.sh": "", "secret.txt": "", "ro/b.py": CUDA})
    modes = {"a.py": 0o755, "run.sh": 0o750, "secret.txt": 0o600, "ro/b.py": 0o444, "ro": 0o555, ".": 0o750}
    for name, value in modes.items():
        (root / name).chmod(value)
    done = run(root)
    assert {name: mode(done.output / name) for name in modes} == modes
    again = run(root, force=True)
    assert mode(again.output / "ro") == 0o555


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (0o755, 0o755),
        (0o750, 0o750),
        (0o700, 0o700),
        (0o555, 0o755),
        (0o050, 0o750),
        (0o4711, 0o711),
        (0, 0o700),
    ],
)
def test_a_directory_can_be_filled_whatever_it_is_going_to_allow(
    tmp_path: Path, given: int, made: int
) -> None:
    make_directory(str(tmp_path / "sub"), given)
    assert mode(tmp_path / "sub") == made


def test_the_rights_of_another_user_are_not_lent(run: Migrate, make: Make) -> None:
    root = make({"a.py": CUDA, "tool": ""})
    (root / "tool").chmod(0o4755)
    assert mode(run(root).output / "tool") == 0o755


def test_times_survive_unless_the_content_changed(run: Migrate, make: Make) -> None:
    root = make({"changed.py": CUDA, "same.py": PLAIN, "data.txt": ""})
    for name in ("changed.py", "same.py", "data.txt"):
        os.utime(root / name, (1_000_000_000, 1_000_000_000))
    output = run(root).output
    assert output.joinpath("same.py").stat().st_mtime == 1_000_000_000
    assert output.joinpath("data.txt").stat().st_mtime == 1_000_000_000
    assert output.joinpath("changed.py").stat().st_mtime > 1_000_000_000


def test_links_within_the_project_lead_to_the_output(run: Migrate, make: Make) -> None:
    root = make({"pkg/a.py": CUDA})
    (root / "relative.py").symlink_to("pkg/a.py")
    (root / "pkg" / "absolute.py").symlink_to(root / "pkg" / "a.py")
    (root / "directory").symlink_to("pkg")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to("pkg/missing")
    output = run(root).output
    links = ("relative.py", "pkg/absolute.py", "directory", "loop", "dangling")
    assert [str((output / link).readlink()) for link in links] == [
        "pkg/a.py",
        "a.py",
        "pkg",
        "loop",
        "pkg/missing",
    ]
    assert (output / "relative.py").read_text() == (output / "pkg/a.py").read_text()


def test_links_out_of_the_project_are_kept_not_followed_and_told(
    run: Migrate, make: Make, tmp_path: Path
) -> None:
    outside = tmp_path / "shared"
    outside.mkdir()
    (outside / "b.py").write_text(CUDA)
    root = make({"a.py": CUDA})
    (root / "absolute").symlink_to(outside)
    (root / "relative").symlink_to("../../shared")
    (root / "b.py").symlink_to("../../shared/b.py")
    (root / "detour").symlink_to("absolute/b.py")
    done = run(root)
    for link in ("absolute", "relative"):
        assert (done.output / link).readlink() == outside
    assert (done.output / "b.py").readlink() == outside / "b.py"
    assert (done.output / "detour").is_symlink()
    assert (outside / "b.py").read_text() == CUDA
    log = (done.output / "msFmkTranspltlog.txt").read_text()
    assert log.count("a link out of the project") == 2
    assert log.count("which is not examined") == 2
    assert done.summary.failed == 2
    assert done.summary.python_files == 1


def test_pipes_are_left_out_without_waiting_for_them(run: Migrate, make: Make) -> None:
    root = make({"a.py": CUDA})
    os.mkfifo(root / "pipe.py")
    done = run(root)
    assert not os.path.lexists(done.output / "pipe.py")
    assert done.summary.left_out == 1
    assert "pipe.py: a pipe" in (done.output / "msFmkTranspltlog.txt").read_text()


def test_a_file_that_became_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    with pytest.raises(copying.UnreadableError) as caught:
        read_file(str(tmp_path / "a.py"))
    assert caught.value.message.id == "project.not-regular"


@pytest.mark.parametrize("name", ["a.py", "data.bin"])
def test_a_file_that_cannot_be_read_is_reported_and_counts_as_failure(
    run: Migrate, make: Make, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    root = make({"a.py": CUDA, "data.bin": b"\0", "other.py": CUDA})
    real = os.open

    def refuse(path: str, flags: int, *rest: int) -> int:
        if path == str(root / name):
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", refuse)
    done = run(root)
    assert done.outcomes[name].status is FileStatus.UNREADABLE
    assert not (done.output / name).exists()
    assert (done.summary.unreadable, done.result.exit_code) == (1, 1)
    assert f"{name}: not migrated" in (done.output / "msFmkTranspltlog.txt").read_text()


def test_a_file_system_without_links_costs_the_link_only(
    run: Migrate, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make({"a.py": CUDA})
    (root / "link").symlink_to("a.py")

    def refuse(source: str, target: str) -> None:
        raise PermissionError(1, "Operation not permitted", target)

    monkeypatch.setattr(os, "symlink", refuse)
    done = run(root)
    assert done.outcomes["link"].status is FileStatus.UNREADABLE
    assert (done.output / "a.py").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the rights are those of POSIX")
@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("way", ["write", "copy"])
def test_until_it_is_whole_a_file_is_its_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, is_there: bool
) -> None:
    source, target = tmp_path / "a.py", tmp_path / "b.py"
    source.write_text("text")
    source.chmod(0o664)
    if is_there:
        target.touch()
        target.chmod(0o664)
    rights: list[int] = []
    chmod = os.chmod

    def noted(path: str, given: int, **kwargs: bool) -> None:
        rights.append(mode(Path(path)))
        chmod(path, given, **kwargs)

    monkeypatch.setattr(os, "chmod", noted)
    usual = os.umask(0)
    try:
        if way == "write":
            copying.write_file(str(target), b"text", copying.read_file(str(source)).stamp)
        else:
            copying.copy_file(str(source), str(target))
    finally:
        os.umask(usual)
    assert rights == [0o600]
    assert (mode(target), target.read_text()) == (0o664, "text")
