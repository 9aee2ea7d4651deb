"""Which lines of files a change touches, compared with the commit that it began at."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.git.touched import ALL, Touched, touched_since

from .samples import HAS_GIT, commit, git, repository, write

pytestmark = pytest.mark.skipif(not HAS_GIT, reason="git is not installed")
LIMIT = 1_000_000
TEN = "".join(f"line {number}\n" for number in range(1, 11))


def touched(top: Path, *names: str, ref: str = "HEAD", start: Path | None = None) -> dict[str, Touched]:
    files = [str(top / name) for name in names]
    found = touched_since(ref, [start or top], files, LIMIT)
    return {name: found[file] for name, file in zip(names, files, strict=True)}


def lines(item: Touched, count: int = 12) -> list[int]:
    return [number for number in range(1, count + 1) if item.touches(number, number)]


def refused(top: Path, ref: str = "HEAD") -> str:
    with pytest.raises(InputError) as error:
        touched_since(ref, [top], [], LIMIT)
    return error.value.message.id


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", {"a.py": TEN, "sub/b.py": TEN})


class TestLines:
    def test_a_changed_line_and_no_other(self, top: Path) -> None:
        write(top, {"a.py": TEN.replace("line 4", "other")})
        found = touched(top, "a.py", "sub/b.py")
        assert lines(found["a.py"]) == [4]
        assert found["sub/b.py"] == Touched() and not found["sub/b.py"].is_changed

    def test_lines_that_moved_down_are_not_touched(self, top: Path) -> None:
        write(top, {"a.py": "new\n" * 700 + TEN + "end\n"})
        found = touched(top, "a.py")["a.py"]
        assert lines(found, 712) == [*range(1, 701), 711]

    def test_what_spans_lines_that_are_gone_is_touched_and_its_neighbours_are_not(self, top: Path) -> None:
        write(top, {"a.py": TEN.replace("line 5\n", "")})
        found = touched(top, "a.py")["a.py"]
        assert found.is_changed
        assert found.touches(3, 5) and lines(found) == []

    def test_line_ends_are_no_change(self, top: Path) -> None:
        write(top, {"a.py": TEN.replace("\n", "\r\n").replace("line 2\r", "two\r")})
        assert lines(touched(top, "a.py")["a.py"]) == [2]

    def test_two_texts_of_which_nothing_is_alike_take_no_time(self, top: Path) -> None:
        many = [f"{number}\n" for number in range(20_000)]
        commit(top, {"big.py": "".join(many)})
        write(top, {"big.py": "".join(reversed(many))})
        assert touched(top, "big.py")["big.py"].is_changed


class TestFiles:
    def test_a_file_that_is_not_tracked_is_touched_as_a_whole(self, top: Path) -> None:
        write(top, {"new.py": "x = 1\n", ".gitignore": "ignored.py\n", "ignored.py": "y = 1\n"})
        assert set(touched(top, "new.py", "ignored.py").values()) == {ALL}

    def test_a_renamed_file_has_its_changed_lines_only(self, top: Path) -> None:
        git(top, "mv", "a.py", "moved.py")
        write(top, {"moved.py": TEN.replace("line 7", "seven")})
        assert lines(touched(top, "moved.py")["moved.py"]) == [7]

    def test_a_copy_is_new(self, top: Path) -> None:
        write(top, {"copy.py": TEN})
        assert touched(top, "copy.py")["copy.py"] == ALL

    def test_a_file_over_the_limit_is_touched_as_a_whole(self, top: Path) -> None:
        commit(top, {"big.py": "x" * (LIMIT + 1)})
        assert touched(top, "big.py")["big.py"] == ALL

    def test_a_name_that_git_would_quote_or_take_for_a_pattern(self, top: Path) -> None:
        commit(top, {'q "ä*.py': TEN, ":(top)x.py": TEN})
        assert set(touched(top, 'q "ä*.py', ":(top)x.py").values()) == {Touched()}

    def test_a_pointer_of_lfs_is_compared_as_it_lies_there(self, top: Path) -> None:
        commit(top, {"w.py": "version https://git-lfs.github.com/spec/v1\noid sha256:00\n"})
        assert not touched(top, "w.py")["w.py"].is_changed

    def test_files_of_a_submodule_are_compared_with_its_commit(self, top: Path, tmp_path: Path) -> None:
        inner = repository(tmp_path / "inner", {"in.py": TEN})
        git(top, "submodule", "--quiet", "add", str(inner), "lib")
        git(top, "commit", "-qm", "submodule")
        write(top, {"lib/in.py": TEN.replace("line 3", "three"), "lib/more.py": "x\n"})
        found = touched(top, "lib/in.py", "lib/more.py")
        assert lines(found["lib/in.py"]) == [3] and found["lib/more.py"] == ALL


class TestCommits:
    def test_what_the_other_branch_did_meanwhile_is_no_change(self, top: Path) -> None:
        git(top, "checkout", "-qb", "mine")
        commit(top, {"a.py": TEN.replace("line 2", "two")})
        git(top, "checkout", "-q", "main")
        commit(top, {"sub/b.py": TEN.replace("line 9", "nine")})
        git(top, "checkout", "-q", "mine")
        found = touched(top, "a.py", "sub/b.py", ref="main")
        assert lines(found["a.py"]) == [2] and not found["sub/b.py"].is_changed

    def test_in_a_rebase_the_files_are_compared_as_they_are(self, top: Path) -> None:
        git(top, "checkout", "-qb", "mine")
        commit(top, {"a.py": TEN.replace("line 2", "mine")})
        git(top, "checkout", "-q", "main")
        commit(top, {"a.py": TEN.replace("line 2", "theirs")})
        git(top, "checkout", "-q", "mine")
        with pytest.raises(AssertionError):
            git(top, "rebase", "main")
        assert (top / ".git" / "rebase-merge").is_dir()
        marks = [2, 4, 5, 6]  # of both sides; line 3 is that of main
        assert lines(touched(top, "a.py", ref="main")["a.py"]) == marks

    def test_a_directory_below_and_a_second_work_tree(self, top: Path, tmp_path: Path) -> None:
        write(top, {"sub/b.py": TEN.replace("line 1\n", "one\n")})
        assert lines(touched(top, "sub/b.py", start=top / "sub")["sub/b.py"]) == [1]
        git(top, "worktree", "add", "-q", str(tmp_path / "second"))
        assert not touched(tmp_path / "second", "a.py")["a.py"].is_changed


class TestBadInput:
    def test_no_repository(self, tmp_path: Path) -> None:
        assert refused(tmp_path) == "git.no-repository"

    def test_a_bare_repository_and_one_that_is_damaged(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "-q", "--bare", "bare")
        assert refused(tmp_path / "bare") == "git.no-repository"
        write(tmp_path, {"damaged/.git": "gitdir: nowhere\n"})
        assert refused(tmp_path / "damaged") == "git.no-repository"

    @pytest.mark.parametrize("ref", ["nothing", "--all", "-h", "", "HEAD^{tree}", "HEAD\n", "a b"])
    def test_a_ref_that_is_no_commit(self, top: Path, ref: str) -> None:
        assert refused(top, ref) == "git.unknown-ref"

    def test_a_repository_without_a_commit(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "-q")
        assert refused(tmp_path) == "git.unknown-ref"

    def test_a_branch_with_another_beginning(self, top: Path) -> None:
        git(top, "checkout", "-q", "--orphan", "other")
        commit(top, {"a.py": "x\n"})
        assert refused(top, "main") == "git.no-base"

    def test_a_shallow_clone_says_that_it_is_one(self, top: Path, tmp_path: Path) -> None:
        first = git(top, "rev-parse", "HEAD").strip()
        commit(top, {"a.py": "x\n"})
        git(tmp_path, "clone", "-q", "--depth", "1", top.as_uri(), "shallow")
        assert refused(tmp_path / "shallow", first) == "git.unknown-ref-shallow"
        assert not touched(tmp_path / "shallow", "a.py")["a.py"].is_changed

    def test_no_git(self, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("gpu2ascend.project.git.running._PLACES", ("/nowhere/git",))
        assert refused(top) == "git.missing"
