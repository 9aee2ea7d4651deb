"""A new migration is merged into an output that people work in: nothing of theirs is lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.project.errors import OutputError
from gpu2ascend.project.manifest.base import BASE_NAME, read_base
from gpu2ascend.project.manifest.ledger import differences
from gpu2ascend.project.migrate.output import OutputTree
from gpu2ascend.project.report.merge import Deletions, Merge, UpdateRequest
from gpu2ascend.project.update import applying
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version
from tests.server.project.conftest import Migrate
from tests.server.project.samples import OPTIONS, Files, make_tree, names, tree

BODY = "".join(f"value_{number} = {number}\n" for number in range(20))
CUDA = f"import torch\n\n{BODY}torch.cuda.empty_cache()\n"
OTHER = CUDA.replace("value", "other")
FILES: Files = {"a.py": CUDA, "pkg/b.py": OTHER, "data.bin": b"\0\1", "README": "one\ntwo\nthree\n"}
Make = Callable[[Files], Path]


class Project:
    """A project that was migrated, its output, and how both go on."""

    def __init__(self, run: Migrate, make: Make, files: Files = FILES, **options: Any) -> None:
        self._run = run
        self.root = make(files)
        self.output = run(self.root, **options).output

    def upstream(self, **files: str | bytes | None) -> None:
        """Change the project: names with ``__`` for ``/`` and ``_`` for ``.``; None removes."""
        _change(self.root, files)

    def by_hand(self, **files: str | bytes | None) -> None:
        """Change the output likewise."""
        _change(self.output, files)

    def update(self, deletions: Deletions = Deletions.FOLLOW, **changes: Any) -> Merge:
        """Update the output."""
        request = UpdateRequest(self.output, deletions)
        done = self._run(self.root, output=self.output.parent, update=request, **changes)
        assert done.result.merge is not None and done.output == self.output
        return done.result.merge

    def notices_of_update(self) -> tuple[Message, ...]:
        """What an update says beside what it did."""
        request = UpdateRequest(self.output, Deletions.FOLLOW)
        return self._run(self.root, output=self.output.parent, update=request).result.notices

    def read(self, name: str) -> str:
        """A file of the output."""
        return (self.output / name).read_bytes().decode()


def _change(root: Path, files: Files | dict[str, str | bytes | None]) -> None:
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py").replace("_bin", ".bin")
        if content is None:
            path.unlink()
        else:
            make_tree(root, {path.relative_to(root).as_posix(): content})


@pytest.fixture
def project(run: Migrate, make: Make) -> Project:
    """A migrated project."""
    return Project(run, make)


def test_changes_of_both_are_in_the_result(project: Project) -> None:
    project.by_hand(a_py=project.read("a.py").replace("value_3 = 3", "value_3 = 'mine'"))
    project.upstream(a_py=CUDA.replace("value_15 = 15", "value_15 = torch.ones(1).cuda()"))
    merge = project.update()
    assert merge.merged == ("a.py",) and merge.conflicts == ()
    text = project.read("a.py")
    assert "value_3 = 'mine'" in text and ".npu()" in text and "torch_npu.npu.empty_cache" in text


def test_lines_that_both_changed_are_marked_and_named(project: Project) -> None:
    project.by_hand(a_py=project.read("a.py").replace("value_3 = 3", "value_3 = 'mine'"))
    project.upstream(a_py=CUDA.replace("value_3 = 3", "value_3 = 'new'"))
    merge = project.update()
    (conflict,) = merge.conflicts
    assert (conflict.path, conflict.reason.id) == ("a.py", "update.conflict-lines")
    lines = project.read("a.py").splitlines()
    (place,) = conflict.lines
    assert lines[place.start - 1 : place.end] == [
        "<<<<<<< yours",
        "value_3 = 'mine'",
        "=======",
        "value_3 = 'new'",
        ">>>>>>> gpu2ascend",
    ]


def test_without_changes_by_hand_the_output_is_that_of_a_fresh_migration(
    project: Project, run: Migrate, tmp_path: Path
) -> None:
    project.upstream(a_py=OTHER, new_py=CUDA, pkg__b_py=None)
    merge = project.update()
    fresh = run(project.root, output=tmp_path / "fresh").output
    same, new = tree(project.output), tree(fresh)
    assert same.keys() == new.keys()
    apart = {name for name in same if same[name] != new[name]}
    assert apart <= {"msFmkTranspltlog.txt", ".gpu2ascend.json", ".gpu2ascend.files", "report.html"}
    assert (merge.new, merge.gone, merge.updated) == (("new.py",), ("pkg/b.py",), 1)


def test_what_people_added_stays_with_its_permissions(project: Project) -> None:
    make_tree(
        project.output, {".git/HEAD": "ref", "notes.txt": "mine", "own/deep/x.py": "mine", "run.sh": "x"}
    )
    (project.output / "run.sh").chmod(0o755)
    (project.output / "link").symlink_to("notes.txt")
    (project.output / "empty").mkdir()
    before = (project.output / "notes.txt").stat().st_ino
    project.upstream(a_py=OTHER)
    project.update()
    assert project.read(".git/HEAD") == "ref" and project.read("own/deep/x.py") == "mine"
    assert (project.output / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (project.output / "link").readlink() == Path("notes.txt") and (project.output / "empty").is_dir()
    status = (project.output / "notes.txt").stat()
    assert (status.st_ino, status.st_nlink) == (before, 1)


def test_permissions_that_were_changed_by_hand_stay(project: Project) -> None:
    (project.output / "a.py").chmod(0o755)
    project.upstream(a_py=OTHER)
    project.update()
    assert (project.output / "a.py").stat().st_mode & 0o777 == 0o755


def test_what_is_write_protected_is_merged_and_stays_so(run: Migrate, make: Make) -> None:
    root = make({**FILES, "closed/x.py": CUDA})
    (root / "a.py").chmod(0o444)
    (root / "closed").chmod(0o555)
    project = Project(run, make, {})
    (project.output / "a.py").chmod(0o644)
    project.by_hand(a_py=project.read("a.py").replace("value_3 = 3", "value_3 = 'mine'"))
    (project.output / "a.py").chmod(0o444)
    (project.output / "closed").chmod(0o755)
    shutil.rmtree(project.output / "closed")
    (root / "a.py").chmod(0o644)
    project.upstream(a_py=CUDA.replace("value_15 = 15", "value_15 = 'new'"))
    (root / "a.py").chmod(0o444)
    assert project.update().merged == ("a.py",)
    assert "'mine'" in project.read("a.py") and "'new'" in project.read("a.py")
    assert (project.output / "a.py").stat().st_mode & 0o777 == 0o444
    assert not (project.output / "closed").exists()
    (root / "closed").chmod(0o755)


def test_what_people_removed_stays_removed_and_is_a_conflict_where_it_changed(project: Project) -> None:
    project.by_hand(a_py=None, pkg__b_py=None)
    project.upstream(a_py=OTHER)
    merge = project.update()
    assert not (project.output / "a.py").exists() and not (project.output / "pkg/b.py").exists()
    assert [(item.path, item.reason.id) for item in merge.conflicts] == [("a.py", "update.conflict-removed")]


def test_a_changed_file_that_the_new_version_has_no_more_stays(project: Project) -> None:
    mine = project.read("a.py") + "mine = 1\n"
    project.by_hand(a_py=mine)
    project.upstream(a_py=None)
    merge = project.update()
    assert project.read("a.py") == mine and merge.gone == ()
    assert [(item.path, item.reason.id) for item in merge.conflicts] == [("a.py", "update.conflict-gone")]


def test_a_renamed_file_keeps_what_was_changed_by_hand(project: Project) -> None:
    project.by_hand(a_py=project.read("a.py").replace("value_3 = 3", "value_3 = 'mine'"))
    project.upstream(a_py=None, lib__c_py=CUDA.replace("value_15 = 15", "value_15 = 'new'"))
    merge = project.update()
    assert merge.renamed == (("a.py", "lib/c.py"),) and merge.gone == () and merge.conflicts == ()
    assert "'mine'" in project.read("lib/c.py") and "'new'" in project.read("lib/c.py")
    assert not (project.output / "a.py").exists()


def test_a_file_that_people_renamed_gets_what_is_new(project: Project) -> None:
    mine = project.read("a.py").replace("value_3 = 3", "value_3 = 'mine'")
    project.by_hand(a_py=None, mine_py=mine)
    project.upstream(a_py=CUDA.replace("value_15 = 15", "value_15 = 'new'"))
    merge = project.update()
    assert merge.renamed == (("a.py", "mine.py"),) and merge.conflicts == ()
    assert "'mine'" in project.read("mine.py") and "'new'" in project.read("mine.py")
    assert not (project.output / "a.py").exists()


def test_two_names_for_a_file_are_a_conflict_and_the_one_given_by_hand_counts(project: Project) -> None:
    project.by_hand(a_py=None, mine_py=project.read("a.py") + "mine = 1\n")
    project.upstream(a_py=None, theirs_py=CUDA)
    merge = project.update()
    assert [(item.path, item.reason.id) for item in merge.conflicts] == [("mine.py", "update.conflict-names")]
    assert "mine = 1" in project.read("mine.py") and not (project.output / "theirs.py").exists()


def test_files_that_exchange_their_names_are_followed(project: Project) -> None:
    project.upstream(a_py=None, pkg__b_py=None, x_py=OTHER, pkg__y_py=CUDA)
    project.by_hand(a_py=project.read("a.py") + "mine = 1\n")
    merge = project.update()
    assert set(merge.renamed) == {("a.py", "pkg/y.py"), ("pkg/b.py", "x.py")}
    assert project.read("pkg/y.py").endswith("mine = 1\n")


def test_what_has_no_lines_is_kept_and_the_new_version_put_beside(project: Project) -> None:
    project.by_hand(data_bin=b"\0mine")
    project.upstream(data_bin=b"\0new")
    merge = project.update()
    assert (project.output / "data.bin").read_bytes() == b"\0mine"
    assert (project.output / f"data.bin{applying.BESIDE}").read_bytes() == b"\0new"
    assert [item.reason.id for item in merge.conflicts] == ["update.conflict-content"]


def test_a_report_that_was_changed_by_hand_is_kept_beside_the_new_one(project: Project) -> None:
    project.by_hand(**{"MIGRATION.md": "- [x] mine\n"})
    merge = project.update()
    assert merge.kept_reports == ("MIGRATION.md.yours",)
    assert project.read("MIGRATION.md.yours") == "- [x] mine\n" != project.read("MIGRATION.md")


def test_what_people_put_beside_the_base_stays(project: Project) -> None:
    make_tree(project.output / ".gpu2ascend", {"work-orders.json": "mine", "notes.txt": "mine"})
    merge = project.update()
    assert merge.kept_reports == (".gpu2ascend/work-orders.json.yours",)
    assert project.read(".gpu2ascend/notes.txt") == project.read(merge.kept_reports[0]) == "mine"
    assert project.read(".gpu2ascend/work-orders.json") != "mine"


def test_version_and_hardware_may_change_in_the_same_run(run: Migrate, make: Make) -> None:
    project = Project(run, make)
    project.by_hand(a_py=project.read("a.py") + "mine = 1\n")
    project.update(options=attrs.evolve(OPTIONS, version=Version(2, 1, 0), hardware=Hardware.A3))
    kept = read_base(project.output).options
    assert (kept["version"], kept["hardware"]) == ("2.1.0", "A3")
    assert project.read("a.py").endswith("mine = 1\n")


def test_one_update_follows_another(project: Project) -> None:
    project.by_hand(a_py=project.read("a.py").replace("value_3 = 3", "value_3 = 'mine'"))
    for number in (10, 12, 14):
        project.upstream(a_py=CUDA.replace(f"value_{number} = {number}", f"value_{number} = 'new'"))
        assert project.update().conflicts == ()
        text = project.read("a.py")
        assert text.count("'mine'") == text.count("'new'") == 1 and f"value_{number} = 'new'" in text


def test_what_was_changed_by_hand_is_still_told_from_what_was_written(project: Project, run: Migrate) -> None:
    project.by_hand(a_py=project.read("a.py") + "mine = 1\n")
    project.update()
    found = differences(project.output)
    assert found is not None and found.names == ("a.py",)
    with pytest.raises(OutputError) as caught:
        run(project.root, force=True)
    assert caught.value.message.id == "project.output-changed"


class TestDeletions:
    """Files that nobody changed and that the new version has no more."""

    def test_they_stay_if_that_is_wanted(self, project: Project) -> None:
        project.upstream(pkg__b_py=None)
        assert project.update(Deletions.KEEP).gone == ()
        assert (project.output / "pkg/b.py").exists()

    @pytest.mark.parametrize("answer", [True, False])
    def test_they_are_asked_about(self, project: Project, answer: bool) -> None:
        project.upstream(pkg__b_py=None)
        asked: list[tuple[str, ...]] = []
        project.update(Deletions.ASK, may_delete=lambda paths: asked.append(paths) or answer)
        assert asked == [("pkg/b.py",)]
        assert (project.output / "pkg/b.py").exists() is not answer

    def test_where_nobody_can_be_asked_nothing_is_changed(self, project: Project) -> None:
        project.upstream(pkg__b_py=None, a_py=OTHER)
        refused(project, "update.deletions", Deletions.ASK)


def refused(project: Project, message: str, deletions: Deletions = Deletions.FOLLOW) -> None:
    """An update is refused with a message, and everything is as it was."""
    before, beside = tree(project.output), names(project.output.parent)
    with pytest.raises(OutputError) as caught:
        project.update(deletions)
    assert caught.value.message.id == message
    assert (tree(project.output), names(project.output.parent)) == (before, beside)


def _damaged(output: Path) -> None:
    path = output / BASE_NAME
    path.write_bytes(path.read_bytes()[:-30])


def _other_base(output: Path) -> None:
    (output / BASE_NAME).write_bytes((output / BASE_NAME).read_bytes() + b" ")


def _directory(output: Path) -> None:
    (output / "README").unlink()
    make_tree(output / "README", {"mine": ""})


def _unresolved(output: Path) -> None:
    marks = "<<<<<<< yours\na\n=======\nb\n>>>>>>> gpu2ascend\n"
    make_tree(output, {"a.py": (output / "a.py").read_text() + marks})


BAD: dict[str, tuple[str, Callable[[Path], object]]] = {
    "not made by us": ("update.foreign", lambda output: (output / ".gpu2ascend.json").unlink()),
    "no base": ("update.no-base", lambda output: (output / BASE_NAME).unlink()),
    "no folder": ("update.no-base", lambda output: (output / ".gpu2ascend").rename(output / "x")),
    "a damaged base": ("update.damaged", _damaged),
    "another base": ("update.damaged", _other_base),
    "a rebase": ("update.unfinished", lambda output: make_tree(output, {".git/rebase-merge/done": ""})),
    "a rebase of a worktree": (
        "update.unfinished",
        lambda output: make_tree(output, {".git": "gitdir: ../repo/w\n", "../repo/w/rebase-merge/x": ""}),
    ),
    "a merge around": ("update.unfinished", lambda output: make_tree(output.parent, {".git/MERGE_HEAD": ""})),
    "a file that became a directory": ("update.kinds", _directory),
    "marks of an earlier conflict": ("update.unresolved", _unresolved),
}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_updated_is_told_and_nothing_is_changed(project: Project, what: str) -> None:
    message, change = BAD[what]
    change(project.output)
    project.upstream(a_py=OTHER)
    refused(project, message)


def test_pointers_of_git_lfs_are_never_merged_by_lines(run: Migrate, make: Make) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1\n"
    project = Project(run, make, {**FILES, "w.pt": pointer.format("a")})
    make_tree(project.output, {"w.pt": pointer.format("mine")})
    make_tree(project.root, {"w.pt": pointer.format("new")})
    merge = project.update()
    assert [item.reason.id for item in merge.conflicts] == ["update.conflict-content"]
    assert project.read("w.pt") == pointer.format("mine")


def test_line_ends_that_people_changed_stay_theirs(project: Project) -> None:
    project.by_hand(README="one\r\ntwo\r\nthree\r\n")
    project.upstream(README="one\ntwo\nthree\nfour\n")
    assert project.update().conflicts == ()
    assert project.read("README") == "one\r\ntwo\r\nthree\r\nfour\r\n"


def test_a_failure_at_any_moment_leaves_the_output_as_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.by_hand(a_py=project.read("a.py") + "mine = 1\n", own_py="mine")
    project.upstream(a_py=OTHER)
    for place, name in ((applying, "_put"), (applying, "_directories"), (OutputTree, "_replace")):
        with monkeypatch.context() as patch:

            def fail(*_: object, **__: object) -> None:
                raise OSError(28, "No space left on device")

            patch.setattr(place, name, fail)
            refused(project, "project.disk-full")
    assert project.update().conflicts == ()


def test_what_is_written_meanwhile_is_found(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    apply = applying.apply

    def write(*arguments: Any) -> None:
        apply(*arguments)
        make_tree(project.output, {"late.txt": "mine"})

    monkeypatch.setattr("gpu2ascend.project.update.update.apply", write)
    with pytest.raises(OutputError) as caught:
        project.update()
    assert caught.value.message.id == "project.output-touched"
    assert project.read("late.txt") == "mine" and "value" in project.read("a.py")


def test_where_the_system_knows_no_hard_links_files_are_copied(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    project.by_hand(own_py="mine")
    project.update()
    assert project.read("own.py") == "mine"
