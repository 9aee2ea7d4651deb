"""Inputs and outputs that are refused, with nothing written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError, OutputError, ProjectError
from gpu2ascend.project.files.places import migration_places
from gpu2ascend_rules.options.options import MigrationOptions
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, PLAIN, Files, make_tree, names, permissions_are_ignored, tree

needs_permissions = pytest.mark.skipif(permissions_are_ignored(), reason="root reads and writes everywhere")
Make = Callable[[Files], Path]


def refusal(run: Migrate, root: Path, **changes: object) -> str:
    """The id of the message by which a migration is refused."""
    with pytest.raises(ProjectError) as caught:
        run(root, **changes)
    str(caught.value)
    return caught.value.message.id


def test_a_missing_input(run: Migrate, tmp_path: Path) -> None:
    assert refusal(run, tmp_path / "missing") == "project.input-missing"
    assert list(tmp_path.iterdir()) == []


def test_a_file_as_input(run: Migrate, make: Make) -> None:
    assert refusal(run, make({"a.py": CUDA}) / "a.py") == "project.input-not-directory"


def test_a_loop_of_links_as_input(run: Migrate, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert refusal(run, tmp_path / "loop") == "project.input-unreadable"


@needs_permissions
def test_an_unreadable_input(run: Migrate, make: Make) -> None:
    root = make({"a.py": CUDA})
    root.chmod(0)
    try:
        assert refusal(run, root) == "project.input-unreadable"
    finally:
        root.chmod(0o700)


def test_an_input_that_fails_to_list(run: Migrate, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make({"a.py": CUDA})

    def scandir(path: object) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", scandir)
    assert refusal(run, root) == "project.input-unreadable"


@pytest.mark.parametrize("files", [{}, {"README.md": "", "data/x.csv": ""}, {"__pycache__/a.py": ""}])
def test_an_input_without_python(run: Migrate, make: Make, tmp_path: Path, files: Files) -> None:
    assert refusal(run, make(files)) == "project.input-no-python"
    assert not (tmp_path / "out").exists()


def test_an_output_that_is_the_input(run: Migrate, make: Make) -> None:
    root = make({"a.py": CUDA})
    before = tree(root)
    assert refusal(run, root, output=root) == "project.output-is-input"
    assert tree(root) == before


@pytest.mark.parametrize("inside", ["out", "pkg/deep/out"])
def test_an_output_inside_the_input(run: Migrate, make: Make, inside: str) -> None:
    root = make({"pkg/a.py": CUDA})
    before = tree(root)
    assert refusal(run, root, output=root / inside) == "project.output-in-input"
    assert tree(root) == before and not (root / inside).exists()


@pytest.mark.parametrize("up", ["..", "../.."])
def test_an_input_inside_the_output(run: Migrate, make: Make, up: str) -> None:
    root = make({"a.py": CUDA})
    assert refusal(run, root, output=root / up) == "project.input-in-output"
    assert names(root.parent) == ["proj"]


def test_links_do_not_hide_that_one_lies_in_the_other(run: Migrate, make: Make, tmp_path: Path) -> None:
    root = make({"pkg/a.py": CUDA})
    (tmp_path / "alias").symlink_to(root / "pkg")
    assert refusal(run, root, output=tmp_path / "alias" / "out") == "project.output-in-input"
    (tmp_path / "project").symlink_to(root)
    assert refusal(run, tmp_path / "project", output=root) == "project.output-is-input"


def test_an_output_that_is_a_file(run: Migrate, make: Make, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    assert refusal(run, make({"a.py": CUDA})) == "project.output-not-directory"
    assert (tmp_path / "out").read_text() == "mine"


def test_an_output_below_a_file(run: Migrate, make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert refusal(run, make({"a.py": CUDA}), output=tmp_path / "file" / "out") == "project.cannot-write"


def test_an_earlier_output_is_replaced_only_when_asked_to(run: Migrate, make: Make) -> None:
    root = make({"a.py": CUDA, "old.py": PLAIN})
    first = run(root)
    (root / "old.py").unlink()
    assert refusal(run, root) == "project.output-exists"
    assert (first.output / "old.py").exists()
    second = run(root, force=True)
    assert second.output == first.output and not (second.output / "old.py").exists()
    assert names(second.output.parent) == ["proj_msft"]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("kind", ["directory", "file", "link", "other marker"])
def test_what_is_not_ours_is_never_replaced(
    run: Migrate, make: Make, tmp_path: Path, kind: str, force: bool
) -> None:
    target = tmp_path / "out" / "proj_msft"
    if kind == "file":
        make_tree(target.parent, {"proj_msft": "mine"})
    elif kind == "link":
        ours = run(make({"a.py": CUDA}), output=tmp_path / "elsewhere").output
        target.parent.mkdir()
        target.symlink_to(ours)
    else:
        marker = {".gpu2ascend.json": '{"tool": "else"}'} if kind == "other marker" else {}
        make_tree(target, {"thesis.tex": "mine", **marker})
    before = tree(tmp_path)
    assert refusal(run, make({"a.py": CUDA}), force=force) == "project.output-foreign"
    assert {name: data for name, data in tree(tmp_path).items() if name in before} == before
    assert names(target.parent) == ["proj_msft"]


def test_a_file_system_that_takes_no_writing(run: Migrate, make: Make) -> None:
    assert refusal(run, make({"a.py": CUDA}), output=Path("/proc/gpu2ascend")) == "project.cannot-write"


@needs_permissions
def test_a_read_only_output(run: Migrate, make: Make, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    assert refusal(run, make({"a.py": CUDA})) == "project.cannot-write"
    assert names(tmp_path / "out") == []


def test_no_version_to_be_found_is_reported_before_anything_is_made(
    run: Migrate, make: Make, tmp_path: Path
) -> None:

    assert refusal(run, make({"a.py": CUDA}), options=MigrationOptions()) == "project.version-missing"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("given", "name"), [(".", "proj"), ("../proj", "proj"), ("pkg/..", "proj")])
def test_the_output_is_named_after_the_directory(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, name: str
) -> None:
    monkeypatch.chdir(make({"pkg/a.py": CUDA}))
    places = migration_places(Path(given), tmp_path / "out", force=False)
    assert places.target == tmp_path / "out" / f"{name}_msft"


def test_a_link_to_a_project_keeps_its_own_name(make: Make, tmp_path: Path) -> None:
    root = make({"a.py": CUDA})
    (tmp_path / "alias").symlink_to(root)
    places = migration_places(tmp_path / "alias", tmp_path / "out", force=False)
    assert (places.root, places.target.name) == (root, "alias_msft")


def test_errors_are_of_the_kind_that_they_concern(tmp_path: Path, make: Make) -> None:
    with pytest.raises(InputError):
        migration_places(tmp_path / "missing", tmp_path, force=False)
    root = make({"a.py": CUDA})
    with pytest.raises(OutputError):
        migration_places(root, root, force=False)
