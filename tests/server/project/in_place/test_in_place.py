"""A work tree is migrated on a branch, in commits that a reviewer understands."""

from __future__ import annotations

import os
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.errors import ProjectError
from gpu2ascend.project.in_place.git import Git, GitFailedError
from tests.server.project.conftest import Migrate, run
from tests.server.project.in_place.conftest import FILES, TRAIN, Repository
from tests.server.project.samples import OPTIONS, make_tree

__all__ = ["run"]

ATTENTION = """\
import torch
from flash_attn import flash_attn_func

model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    x = model(torch.ones(2, 2).cuda())
    flash_attn_func(x, x, x).sum().backward()
    optimizer.step()
"""


def test_the_branch_has_a_commit_for_each_cause_and_main_is_as_it_was(repository: Repository) -> None:
    before = repository.git("rev-parse", "main")
    branch = repository.migrate()
    assert repository.git("rev-parse", "main") == before
    assert repository.git("branch", "--show-current") == branch.name == "ascend/torch-2.8.0"
    subjects = repository.subjects("main..")
    assert [made.subject for made in branch.commits] == subjects
    codes = [subject.rpartition("(")[2].rstrip(")") for subject in subjects[:-2]]
    assert codes == sorted(set(codes)) and {"NPU101", "NPU110", "NPU401"} <= set(codes)
    assert all(len(subject) <= 72 for subject in subjects)
    assert repository.git("status", "--porcelain") == ""


def test_a_message_says_why_what_and_where(repository: Repository) -> None:
    repository.migrate()
    text = repository.git("log", "--format=%B", "--grep", "NPU101", "main..")
    assert "torch_npu runs on the CPU build" in text
    assert "torch.cuda.empty_cache" in text
    assert "train.py (edits: 2)" in text and "lib/more.py (edits: 2)" in text


def test_the_result_is_that_of_a_migration(repository: Repository, run: Migrate) -> None:
    repository.git("branch", "copy")
    fresh = run(repository.top)
    repository.migrate()
    for name in (*FILES, "env.sh"):
        assert (repository.top / name).read_bytes() == (fresh.output / name).read_bytes()
    assert "torch.cuda.comm.broadcast" in (repository.top / "MIGRATION.md").read_text()
    assert not (repository.top / "change_list.csv").exists()


def test_each_commit_has_the_edits_of_its_rule_only(repository: Repository) -> None:
    repository.migrate()
    nccl = repository.git("log", "--format=%H", "--grep", "NPU401", "main..")
    diff = repository.git("show", "--format=", nccl)
    added = [line for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert added == ['+dist.init_process_group("hccl")']


def test_one_commit_has_everything(repository: Repository) -> None:
    branch = repository.migrate(one_commit=True, branch="npu")
    assert branch.name == repository.git("branch", "--show-current") == "npu"
    (made,) = branch.commits
    assert repository.git("rev-parse", "HEAD") == made.number
    assert "(NPU401): 1" in repository.git("log", "-1", "--format=%B")
    assert repository.git("status", "--porcelain") == ""


def test_the_author_is_the_one_of_git_s_settings(repository: Repository) -> None:
    repository.migrate()
    assert repository.git("log", "-1", "--format=%an <%ae> %cn") == "A Person <person@example.org> A Person"


def test_since_edits_only_what_changed(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.commit({"new.py": "import torch\n\ntorch.cuda.synchronize()\n"})
    repository.migrate(since=first)
    assert "torch_npu" in (repository.top / "new.py").read_text()
    assert (repository.top / "train.py").read_text() == TRAIN


class TestSince:
    """``--since`` edits what the change touches, and keeps together what belongs together."""

    TWO = "import torch\n\ntorch.cuda.synchronize()\nx = 1\ntorch.cuda.empty_cache()\n"

    def test_lines_that_did_not_change_stay(self, repository: Repository) -> None:
        first = repository.commit({"two.py": self.TWO})
        repository.commit({"two.py": self.TWO.replace("x = 1", "x = 1\ntorch.cuda.init()")})
        repository.migrate(since=first)
        text = (repository.top / "two.py").read_text()
        assert "torch.cuda.synchronize()" in text and "torch.cuda.empty_cache()" in text
        assert "torch_npu.npu.init()" in text and text.count("import torch_npu") == 1

    def test_a_statement_is_edited_as_a_whole(self, repository: Repository) -> None:
        text = "import torch\n\ntensor = torch.ones(\n    2,\n    3,\n    device='cuda',\n)\n"
        first = repository.commit({"two.py": text})
        repository.commit({"two.py": text.replace("    3,\n", "    4,\n")})
        repository.migrate(since=first)
        assert "device='npu'" in (repository.top / "two.py").read_text()

    def test_words_of_a_unit_are_edited_together(self, repository: Repository) -> None:
        options = "NAME = 'cuda'\n"
        use = "import torch\nfrom options import NAME\n\n"
        test = "if NAME == 'cuda':\n    torch.ones(1, device=NAME)\n"
        first = repository.commit({"options.py": options, "use.py": use + test})
        repository.commit({"use.py": f"{use}# new\n{test}"})
        repository.migrate(since=first, branch="beside")
        assert (repository.top / "options.py").read_text() == options
        repository.git("checkout", "-q", "-B", "again", first)
        repository.commit({"use.py": use + test.replace("cuda':", "cuda':  # new")})
        repository.migrate(since=first, branch="within")
        assert (repository.top / "options.py").read_text() == options.replace("cuda", "npu")
        assert "if NAME == 'npu':  # new" in (repository.top / "use.py").read_text()

    def test_it_counts_from_the_last_common_commit(self, repository: Repository) -> None:
        first = repository.commit({"two.py": self.TWO})
        repository.git("checkout", "-q", "-b", "other")
        repository.commit({"two.py": self.TWO.replace("import torch\n\n", "import torch\n\n\n# other\n")})
        repository.git("checkout", "-q", "-b", "mine", first)
        repository.commit({"new.py": "import torch\n\ntorch.cuda.synchronize()\n"})
        repository.migrate(since="other")
        assert (repository.top / "two.py").read_text() == self.TWO
        assert "torch_npu" in (repository.top / "new.py").read_text()

    def test_a_change_without_anything_to_edit_makes_no_branch(self, repository: Repository) -> None:
        repository.commit({"notes.txt": "x"})
        assert repository.migrate(since="HEAD~1").commits == ()
        assert repository.git("status", "--porcelain") == ""

    def test_a_renamed_file_did_not_change(self, repository: Repository) -> None:
        first = repository.commit({"two.py": self.TWO})
        repository.git("mv", "two.py", "moved.py")
        repository.commit({"new.py": "import torch\n\ntorch.cuda.synchronize()\n"})
        repository.migrate(since=first)
        assert (repository.top / "moved.py").read_text() == self.TWO


def test_it_goes_on_where_it_ended(repository: Repository) -> None:
    first = repository.migrate()
    repository.commit({"new.py": "import torch\n\ntorch.cuda.comm.gather(1)\ntorch.cuda.synchronize()\n"})
    second = repository.migrate()
    assert second.name == first.name and second.commits
    assert (repository.top / "MIGRATION.md").read_text().count("# What is left to do by hand") == 1
    assert "new.py" in (repository.top / "MIGRATION.md").read_text()
    assert not (repository.top / "MIGRATION_msft.md").exists()


def test_an_order_names_no_directory_to_compare_with(repository: Repository, run: Migrate) -> None:
    repository.commit({"train.py": ATTENTION})
    orders = (run(repository.top).output / "MIGRATION.md").read_text()
    assert "gpu2ascend verify . --compare " in orders
    repository.migrate()
    orders = (repository.top / "MIGRATION.md").read_text()
    assert "gpu2ascend verify . -- train.py" in orders and "--compare" not in orders


def test_nothing_to_edit_makes_no_branch(repository: Repository) -> None:
    repository.migrate()
    repository.git("checkout", "-q", "-b", "again")
    before = repository.state()
    assert repository.migrate(branch="other").commits == ()
    assert repository.state() == before


def test_a_project_below_the_top_is_migrated_alone(repository: Repository) -> None:
    repository.migrate(at="lib")
    assert "torch_npu" in (repository.top / "lib/more.py").read_text()
    assert (repository.top / "lib/MIGRATION.md").exists() is (repository.top / "lib/env.sh").exists() is True
    assert (repository.top / "train.py").read_text() == TRAIN


def test_files_that_git_ignores_are_not_edited(repository: Repository) -> None:
    repository.commit({".gitignore": "build/\n"})
    make_tree(repository.top, {"build/x.py": "import torch\n\ntorch.cuda.synchronize()\n"})
    branch = repository.migrate()
    assert branch.left_alone == ("build/x.py",)
    assert "torch_npu" not in (repository.top / "build/x.py").read_text()


def test_line_ends_are_stored_as_they_were(repository: Repository) -> None:
    repository.commit({".gitattributes": "*.py text eol=crlf\n", "w.py": TRAIN})
    for path in repository.top.rglob("*.py"):
        path.unlink()
    repository.git("checkout", "-q", "--", ".")
    assert b"\r\n" in (repository.top / "w.py").read_bytes()
    repository.migrate()
    assert b"\r\n" in (repository.top / "w.py").read_bytes()
    assert "\r" not in repository.git("show", "HEAD:w.py") and "torch_npu" in repository.git(
        "show", "HEAD:w.py"
    )
    assert repository.git("status", "--porcelain") == ""


def refused(repository: Repository, message: str, **how: object) -> None:
    """A migration is refused with a message, and everything is as it was."""
    before = repository.state()
    with pytest.raises(ProjectError) as caught:
        repository.migrate(**how)
    assert caught.value.message.id == message
    assert repository.state() == before


class TestRefused:
    """What cannot be migrated in its place is told, and nothing is changed."""

    @pytest.mark.parametrize("what", ["changed", "staged", "untracked", "gone"])
    def test_changes_that_are_not_committed(self, repository: Repository, what: str) -> None:
        path = repository.top / ("new.py" if what == "untracked" else "README")
        if what == "gone":
            path.unlink()
        else:
            path.write_text("y\n")
        if what == "staged":
            repository.git("add", "README")
        refused(repository, "in-place.dirty")

    def test_a_change_that_keeps_size_and_time(self, repository: Repository) -> None:
        path = repository.top / "README"
        status = path.stat()
        path.write_text("y\n")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        refused(repository, "in-place.dirty")

    def test_files_behind_a_filter_are_named(self, repository: Repository) -> None:
        repository.commit({".gitattributes": "lib/*.py filter=lfs\n"})
        refused(repository, "in-place.filtered")
        repository.commit({".gitattributes": "*.md filter=lfs\n"})
        refused(repository, "in-place.filtered")  # a file that would be added
        repository.commit({".gitattributes": "README filter=lfs\n"})
        assert repository.migrate().commits

    def test_files_of_submodules_are_named(self, repository: Repository, tmp_path: Path) -> None:
        other = Repository(tmp_path / "other")
        other.top.mkdir()
        other.git("init", "-q")
        other.git("config", "user.name", "x")
        other.git("config", "user.email", "x@example.org")
        other.commit({"sub.py": "import torch\n\ntorch.cuda.synchronize()\n"})
        repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.top), "sub")
        repository.commit({})
        refused(repository, "in-place.submodule")
        assert repository.migrate(options=attrs.evolve(OPTIONS, exclude=("sub",))).commits

    def test_a_branch_that_exists(self, repository: Repository) -> None:
        repository.git("branch", "npu")
        refused(repository, "in-place.branch-exists", branch="npu")

    @pytest.mark.parametrize("name", ["a..b", "-x", "x.lock", ""])
    def test_a_name_that_no_branch_can_have(self, repository: Repository, name: str) -> None:
        refused(repository, "in-place.branch-name", branch=name)

    @pytest.mark.parametrize("name", ["nowhere", "-x", "--all"])
    def test_a_commit_that_is_not_there(self, repository: Repository, name: str) -> None:
        refused(repository, "git.unknown-ref", since=name)

    def test_a_file_in_the_way(self, repository: Repository) -> None:
        repository.commit({".gitignore": "MIGRATION.md\n"})
        (repository.top / "MIGRATION.md").mkdir()
        make_tree(repository.top, {"MIGRATION.md/x": ""})
        assert repository.migrate().commits
        assert (repository.top / "MIGRATION_msft.md").exists()

    def test_a_directory_without_a_repository(self, tmp_path: Path) -> None:
        alone = Repository(make_tree(tmp_path / "alone", {"a.py": TRAIN}))
        with pytest.raises(ProjectError) as caught:
            alone.migrate()
        assert caught.value.message.id == "git.no-repository"

    def test_a_work_tree_that_lies_elsewhere(self, repository: Repository, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))
        with pytest.raises(ProjectError) as caught:
            repository.migrate()
        assert caught.value.message.id in ("in-place.elsewhere", "git.no-repository")
        assert (repository.top / "train.py").read_text() == TRAIN

    def test_without_git(self, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("gpu2ascend.project.git.running._PLACES", ())
        refused(repository, "git.missing")


@pytest.mark.parametrize("at", ["update-index", "update-ref", "symbolic-ref"])
def test_a_failure_of_git_leaves_everything_as_it_was(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    original = Git.__call__
    failing = [True]

    def fail(self: Git, *arguments: str, **more: object) -> bytes:
        if failing[0] and arguments[0] == at and "--quiet" not in arguments and "index" not in more:
            failing[0] = False
            raise GitFailedError("no")
        return original(self, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "__call__", fail)
    before = repository.state()
    with pytest.raises(ProjectError):
        repository.migrate()
    assert repository.state() == before and repository.git("status", "--porcelain") == ""


@pytest.mark.parametrize("start", ["main", "--detach", "ascend/torch-2.8.0"])
@pytest.mark.parametrize("hooks", [False, True])
def test_a_file_that_cannot_be_written_leaves_everything_as_it_was(
    repository: Repository, start: str, hooks: bool
) -> None:
    repository.git("checkout", "-q", *(("-b",) if "/" in start else ()), start)
    (repository.top / "train.py").chmod(0o444)
    before = repository.state()
    with pytest.raises(ProjectError) as caught:
        repository.migrate(hooks=hooks)
    assert caught.value.message.id == "project.read-only"
    assert repository.state() == before and repository.git("status", "--porcelain") == ""


class TestHooks:
    """Hooks of the repository run only if that was asked for."""

    @pytest.fixture
    def hooked(self, repository: Repository) -> Repository:
        """A repository whose hooks leave traces."""
        for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-checkout"):
            hook = repository.top / ".git/hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f"#!/bin/sh\necho {name} >> '{repository.top.parent}/trace'\n")
            hook.chmod(0o755)
        return repository

    def trace(self, repository: Repository) -> list[str]:
        """The hooks that ran."""
        place = repository.top.parent / "trace"
        return place.read_text().split() if place.exists() else []

    def test_none_runs_by_itself(self, hooked: Repository) -> None:
        assert hooked.migrate().commits
        assert self.trace(hooked) == []

    def test_those_of_a_commit_run_if_asked_for(self, hooked: Repository) -> None:
        branch = hooked.migrate(hooks=True)
        assert sorted(set(self.trace(hooked))) == ["commit-msg", "pre-commit"]
        assert self.trace(hooked).count("commit-msg") == len(branch.commits)

    def test_a_hook_that_refuses_leaves_everything_as_it_was(self, hooked: Repository) -> None:
        (hooked.top / ".git/hooks/pre-commit").write_text("#!/bin/sh\nexit 1\n")
        refused(hooked, "in-place.git-failed", hooks=True)

    def test_a_hook_may_change_a_message(self, hooked: Repository) -> None:
        (hooked.top / ".git/hooks/commit-msg").write_text('#!/bin/sh\necho "Signed: x" >> "$1"\n')
        hooked.migrate(hooks=True)
        assert hooked.git("log", "-1", "--format=%B").endswith("Signed: x")
