"""The marker of a directory is taken as ours only when it holds what we wrote, and not one byte more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.project.manifest.marker import (
    MARKER_NAME,
    Marker,
    is_as_written,
    marker_bytes,
    read_marker,
    write_marker,
)

DIGEST = "a" * 64
MARKER = Marker("0.3", ("proj_msft.log",), DIGEST, (3, 4))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    write_marker(tmp_path, MARKER)
    return tmp_path


def test_what_was_written_is_read_again(directory: Path) -> None:
    read = read_marker(directory)
    assert read is not None
    assert (read.version, read.list_digest, read.staging) == ("0.3", DIGEST, (3, 4))
    assert is_as_written(directory, MARKER)


@pytest.mark.parametrize("more", [b" ", b"\n", b"x" * 100])
def test_one_to_which_something_was_added_is_another(directory: Path, more: bytes) -> None:
    with (directory / MARKER_NAME).open("ab") as file:
        file.write(more)
    assert not is_as_written(directory, MARKER)


def test_one_from_which_something_was_taken_is_another(directory: Path) -> None:
    data = (directory / MARKER_NAME).read_bytes()
    (directory / MARKER_NAME).write_bytes(data[:-1])
    assert not is_as_written(directory, MARKER)


def test_without_a_marker_nothing_is_as_written(tmp_path: Path) -> None:
    assert read_marker(tmp_path) is None
    assert not is_as_written(tmp_path, MARKER)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "3", '{"tool": "another"}', '{"format": 2}', "[" * 100_000],
    ids=["empty", "cut off", "list", "number", "of another tool", "of no tool", "deep"],
)
def test_what_we_did_not_write_is_no_marker(tmp_path: Path, content: str) -> None:
    (tmp_path / MARKER_NAME).write_text(content)
    assert read_marker(tmp_path) is None


@pytest.mark.parametrize("wrong", ["a" * 63, "g" * 64, 3, None, ["a" * 64]])
def test_what_is_no_digest_counts_as_none(tmp_path: Path, wrong: object) -> None:
    content = {"tool": "gpu2ascend", "version": "0.3", "reports": [], "list": wrong, "sha256": wrong}
    (tmp_path / MARKER_NAME).write_text(json.dumps(content))
    read = read_marker(tmp_path)
    assert read is not None
    assert read.list_digest is None


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["report.html", "change_list.csv"], ("report.html", "change_list.csv")),
        (["report.html", "train.py", "../report.html", "/etc/passwd"], ("report.html",)),
        (["report.html", 3, None, ["change_list.csv"]], ("report.html",)),
        ("report.html", ()),
        (None, ()),
    ],
)
def test_only_names_that_reports_have_count_as_reports(
    tmp_path: Path, written: object, read: tuple[str, ...]
) -> None:
    """What is named here may be taken for ours, and deleted."""
    content = {"tool": "gpu2ascend", "version": "0.3", "reports": written}
    (tmp_path / MARKER_NAME).write_text(json.dumps(content))
    marker = read_marker(tmp_path)
    assert marker is not None and marker.reports == read


WHOLE = Marker(
    "0.5",
    ("report.html",),
    DIGEST,
    (3, 4),
    torch="2.8.0",
    target="ascend",
    options={"distributed": True},
    source="../project",
)


def test_everything_that_a_marker_says_is_read_again(tmp_path: Path) -> None:
    write_marker(tmp_path, WHOLE)
    assert read_marker(tmp_path) == WHOLE


def test_what_a_marker_has_nothing_to_say_of_is_not_in_the_file(tmp_path: Path) -> None:
    bare, usual = Marker("0.1", ()), {"tool", "format", "version", "reports"}
    write_marker(tmp_path, bare)
    assert json.loads((tmp_path / MARKER_NAME).read_text()).keys() == usual
    assert read_marker(tmp_path) == bare
    write_marker(tmp_path, WHOLE)
    optional = {"list", "staging", "torch", "target", "options", "source"}
    assert json.loads((tmp_path / MARKER_NAME).read_text()).keys() == usual | optional


@pytest.mark.parametrize(("format_", "read"), [(2, DIGEST), (1, None), (3, None), ("2", None), (None, None)])
def test_a_list_counts_only_in_the_format_that_is_known(
    tmp_path: Path, format_: object, read: str | None
) -> None:
    """What another version lists may mean something else, and by the list it is deleted."""
    content = {"tool": "gpu2ascend", "format": format_, "reports": [], "list": DIGEST}
    (tmp_path / MARKER_NAME).write_text(json.dumps(content))
    marker = read_marker(tmp_path)
    assert marker is not None and marker.list_digest == read


@pytest.mark.parametrize(
    ("field", "wrong", "default"),
    [
        ("list", 3, None),
        ("staging", [3], None),
        ("staging", [3, 4, 5], None),
        ("staging", ["3", "4"], None),
        ("torch", 2.8, None),
        ("target", ["ascend"], None),
        ("options", ["distributed"], {}),
    ],
)
def test_a_value_of_another_kind_counts_as_none(
    tmp_path: Path, field: str, wrong: object, default: object
) -> None:
    content = json.loads(marker_bytes(WHOLE))
    (tmp_path / MARKER_NAME).write_text(json.dumps({**content, field: wrong}))
    key = {"list": "list_digest"}.get(field, field)
    read = read_marker(tmp_path)
    assert read is not None and read._asdict() == {**WHOLE._asdict(), key: default}


@pytest.mark.parametrize(("size", "counts"), [(100_000, True), (100_001, False)])
def test_a_file_that_is_far_larger_than_ours_is_not_read_to_its_end(
    tmp_path: Path, size: int, counts: bool
) -> None:
    (tmp_path / MARKER_NAME).write_bytes(marker_bytes(WHOLE).rstrip().rjust(size))
    assert (read_marker(tmp_path) == WHOLE) is counts
