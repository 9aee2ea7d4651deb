"""What a walk over a project comes upon."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from gpu2ascend.project.files import discover
from gpu2ascend.project.files.discover import EntryKind, walk
from gpu2ascend.project.files.excludes import Excludes
from gpu2ascend.project.manifest.marker import MARKER_NAME, Marker, write_marker
from tests.server.project.samples import make_tree, permissions_are_ignored

needs_permissions = pytest.mark.skipif(permissions_are_ignored(), reason="root reads and writes everywhere")


def kinds(root: Path, *copied: str, left_out: tuple[str, ...] = ()) -> dict[str, str]:
    return {entry.path: entry.kind.name for entry in walk(root, Excludes(left_out, copied))}


def test_every_kind_of_file_is_reported(tmp_path: Path) -> None:
    root = make_tree(
        tmp_path, {"a.py": "", "gui.PYW": "", "pkg/b.py": "", "k.cu": "", "k.cuh": "", "data.bin": b"\0"}
    )
    assert kinds(root) == {
        "a.py": "PYTHON",
        "data.bin": "OTHER",
        "gui.PYW": "PYTHON",
        "k.cu": "KERNELS",
        "k.cuh": "KERNELS",
        "pkg": "DIRECTORY",
        "pkg/b.py": "PYTHON",
    }


def test_a_script_without_a_suffix_is_python_by_its_first_line(tmp_path: Path) -> None:
    root = make_tree(
        tmp_path,
        {
            "bin/train": "#!/usr/bin/env python3\n",
            "kept": "#!/usr/bin/python -u\n",
            "data": "1 2 3\n",
            "notes.txt": "#!/usr/bin/env python3\n",
            "packed": b"#!/usr/bin/env python3\n\0\1\2\3",
            "start": "#!/bin/bash\n",
            "tool": "#!/usr/bin/perl\n",
        },
    )
    assert kinds(root, "kept") == {
        "bin": "DIRECTORY",
        "bin/train": "PYTHON",
        "data": "OTHER",
        "kept": "EXCLUDED",
        "notes.txt": "OTHER",
        "packed": "OTHER",
        "start": "TEXT",
        "tool": "OTHER",
    }


def test_of_data_without_a_suffix_nothing_is_read_but_the_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(discover, "head_of", lambda path, size: asked.append(size) or b"1 2 3"[:size])
    kinds(make_tree(tmp_path, {"data": "1 2 3\n" * 1000, "data.bin": "1", "a.py": ""}))
    assert asked == [128]


def test_what_is_binary_is_of_no_kind_whatever_its_name(tmp_path: Path) -> None:
    root = make_tree(
        tmp_path,
        {
            "dockerfile.pyc": b"\xa7\r\r\n\0\0\0\0",
            "requirements.txt": b"\x7fELF\0",
            "train.yaml": b"\0",
            "wide.yaml": "a: cuda\n".encode("utf-16"),
            "Dockerfile.cuda": "FROM x\n",
        },
    )
    assert kinds(root) == {
        "Dockerfile.cuda": "TEXT",
        "dockerfile.pyc": "OTHER",
        "requirements.txt": "OTHER",
        "train.yaml": "OTHER",
        "wide.yaml": "TEXT",
    }


def test_the_order_is_that_of_the_names_and_a_directory_comes_before_its_files(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"b/z.py": "", "b/a.py": "", "a.py": "", "c.py": "", "b/m/x.py": ""})
    assert list(kinds(root)) == ["a.py", "b", "b/a.py", "b/m", "b/m/x.py", "b/z.py", "c.py"]


def test_what_is_no_part_of_the_project_is_not_entered(tmp_path: Path) -> None:
    files = {
        ".git/config": "",
        "__pycache__/a.pyc": "",
        "node_modules/x/setup.py": "",
        "env/pyvenv.cfg": "",
        "env/lib/site.py": "",
        "conda/conda-meta/history": "",
        ".github/workflows/ci.yml": "",
    }
    found = kinds(make_tree(tmp_path, files))
    left_out = [path for path, kind in found.items() if kind == "LEFT_OUT"]
    assert left_out == [".git", "__pycache__", "conda", "env", "node_modules"]
    assert ".github/workflows/ci.yml" in found and "env/lib/site.py" not in found


def test_the_pointer_of_a_submodule_is_left_out(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"sub/.git": "gitdir: ../.git/modules/sub\n"})
    assert kinds(root)["sub/.git"] == "LEFT_OUT"


def test_links_are_not_followed_even_in_a_loop(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"pkg/a.py": ""})
    (root / "pkg" / "up").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "b.py").symlink_to("pkg/a.py")
    found = kinds(root)
    assert [found["pkg/up"], found["self"], found["b.py"]] == ["LINK"] * 3
    assert len(found) == 5


def test_pipes_and_sockets_are_special_whatever_their_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with socket.socket(socket.AF_UNIX) as sock:
        directory = os.open(tmp_path, os.O_RDONLY)
        try:
            sock.bind(f"/proc/self/fd/{directory}/socket")  # a socket's path must be short
        finally:
            os.close(directory)
        assert kinds(tmp_path) == {"pipe.py": "SPECIAL", "socket": "SPECIAL"}


def test_what_is_left_out_is_not_entered(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"data/a.py": "", "b.py": "", "c_gen.py": "", "d.yaml": "device: cuda"})
    assert kinds(root, left_out=("data", "*_gen.py", "d.yaml")) == {
        "b.py": "PYTHON",
        "c_gen.py": "OMITTED",
        "d.yaml": "OMITTED",
        "data": "OMITTED",
    }


def test_python_to_copy_is_distinguished(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"vendor/a.py": "", "vendor/k.cu": "", "b.py": ""})
    assert kinds(root, "vendor") == {
        "b.py": "PYTHON",
        "vendor": "DIRECTORY",
        "vendor/a.py": "EXCLUDED",
        "vendor/k.cu": "OTHER",
    }


def test_names_are_any_bytes(tmp_path: Path) -> None:
    names = [b"space d.py", "训练.py".encode(), "🚀.py".encode(), b"latin\xe9.py", b"new\nline.py"]
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    assert {os.fsencode(path) for path in kinds(tmp_path)} == set(names)


def test_the_reports_of_an_earlier_migration_are_no_part_of_the_project(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": "", "change_list.csv": "", "own.csv": "", "sub/change_list.csv": ""})
    write_marker(root, Marker("0", ("change_list.csv",)))
    parts = {path: kind for path, kind in kinds(root).items() if kind != "OWN"}
    assert list(parts) == ["a.py", "own.csv", "sub", "sub/change_list.csv"]


def test_a_marker_that_is_not_ours_hides_nothing(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a.py": "", MARKER_NAME: '{"tool": "other", "reports": ["a.py"]}'})
    assert list(kinds(root)) == [MARKER_NAME, "a.py"]


@needs_permissions
def test_an_unreadable_directory_is_reported_and_the_others_go_on(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"a/x.py": "", "b/y.py": ""})
    (root / "a").chmod(0)
    try:
        assert kinds(root) == {"a": "UNREADABLE", "b": "DIRECTORY", "b/y.py": "PYTHON"}
    finally:
        (root / "a").chmod(0o700)


def test_a_directory_that_fails_to_list_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_tree(tmp_path, {"a/x.py": "", "b/y.py": ""})
    real = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert kinds(root) == {"a": "UNREADABLE", "b": "DIRECTORY", "b/y.py": "PYTHON"}


def test_the_project_itself_must_be_listable(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        list(walk(tmp_path / "missing", Excludes(())))


def test_permissions_and_sizes_are_reported(tmp_path: Path) -> None:
    script = make_tree(tmp_path, {"run.sh": "#!/bin/sh\n"}) / "run.sh"
    script.chmod(0o755)
    (entry,) = walk(tmp_path, Excludes(()))
    assert (entry.kind, entry.mode, entry.size) == (EntryKind.TEXT, 0o755, 10)
