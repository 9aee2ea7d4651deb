"""Whatever state a repository is in: it is told and nothing is changed, or the migration is whole."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gpu2ascend.project.errors import ProjectError
from tests.server.project.git.samples import git
from tests.server.project.in_place.conftest import TRAIN, Repository
from tests.server.project.samples import make_tree

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1\n".format("0" * 64)


def stopped(*command: str) -> Callable[[Repository], None]:
    """A command that stops at a conflict of two branches."""

    def stop(repository: Repository) -> None:
        repository.commit({"README": "main\n"})
        repository.git("checkout", "-q", "-b", "side", "HEAD~1")
        repository.commit({"README": "side\n"})
        with suppress(AssertionError):
            repository.git(*command)
        assert "UU README" in repository.git("status", "--porcelain")

    return stop


def _revert(repository: Repository) -> None:
    repository.commit({"README": "2\n"})
    repository.commit({"README": "3\n"})
    with suppress(AssertionError):
        repository.git("revert", "--no-edit", "HEAD~1")


def _bisect(repository: Repository) -> None:
    repository.commit({"README": "2\n"})
    repository.git("bisect", "start", "HEAD", "HEAD~1")


def _directory(repository: Repository) -> None:
    (repository.top / "train.py").unlink()
    make_tree(repository.top, {"train.py/x": ""})


def _file(repository: Repository) -> None:
    (repository.top / "lib/more.py").unlink()
    (repository.top / "lib").rmdir()
    make_tree(repository.top, {"lib": ""})


def _module(repository: Repository) -> None:
    other = Repository(repository.top.parent / "other")
    other.top.mkdir()
    git(other.top, "init", "-q")
    make_tree(other.top, {"sub.py": TRAIN})
    git(other.top, "add", "-A")
    git(other.top, "commit", "-qm", "x")
    git(repository.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.top), "sub")
    repository.commit({})


TOLD: dict[str, tuple[str, Callable[[Repository], object]]] = {
    "a rebase": ("in-place.unfinished", stopped("rebase", "main")),
    "a rebase by patches": ("in-place.unfinished", stopped("rebase", "--apply", "main")),
    "a merge": ("in-place.unfinished", stopped("merge", "main")),
    "a cherry-pick": ("in-place.unfinished", stopped("cherry-pick", "main")),
    "a revert": ("in-place.unfinished", _revert),
    "a bisect": ("in-place.unfinished", _bisect),
    "a squash with a conflict": ("in-place.unfinished", stopped("merge", "--squash", "main")),
    "an index that is locked": (
        "in-place.unfinished",
        lambda repository: make_tree(repository.top, {".git/index.lock": ""}),
    ),
    "a file that became a directory": ("in-place.dirty", _directory),
    "a directory that became a file": ("in-place.dirty", _file),
    "code that LFS stores": (
        "in-place.filtered",
        lambda repository: repository.commit({".gitattributes": "*.py filter=lfs\n"}),
    ),
    "code of a submodule": ("in-place.submodule", _module),
    "HEAD without a commit": (
        "in-place.no-commit",
        lambda repository: repository.git("symbolic-ref", "HEAD", "refs/heads/unborn"),
    ),
    "a repository without a work tree": (
        "git.no-repository",
        lambda repository: repository.git("config", "core.bare", "true"),
    ),
    "a damaged repository": (
        "git.no-repository",
        lambda repository: (repository.top / ".git/HEAD").write_text("x"),
    ),
}


def _seen(top: Path) -> dict[str, bytes]:
    """Every file below a directory, the repository included."""
    files = (path for path in top.rglob("*") if path.is_file())
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("state", TOLD)
def test_it_is_told_and_nothing_is_changed(repository: Repository, state: str) -> None:
    message, make = TOLD[state]
    make(repository)
    before = _seen(repository.top)
    with pytest.raises(ProjectError) as caught:
        repository.migrate()
    assert caught.value.message.id == message
    assert _seen(repository.top) == before


def _converted(repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    (repository.top / "train.py").unlink()
    repository.git("checkout", "-q", "--", "train.py")
    assert b"\r\n" in (repository.top / "train.py").read_bytes()


MIGRATED: dict[str, Callable[[Repository], object]] = {
    "a detached HEAD": lambda repository: repository.git("checkout", "-q", "--detach"),
    "line ends that git converts": _converted,
    "pointers of LFS that are not edited": lambda repository: repository.commit(
        {".gitattributes": "*.pt filter=lfs\n", "model.pt": POINTER}
    ),
}


@pytest.mark.parametrize("state", MIGRATED)
def test_the_migration_is_whole(repository: Repository, state: str) -> None:
    MIGRATED[state](repository)
    first = repository.git("rev-parse", "HEAD")
    branch = repository.migrate()
    assert repository.git("branch", "--show-current") == branch.name
    assert repository.git("rev-parse", "main") == first
    assert "torch_npu" in repository.git("show", "HEAD:train.py")
    assert "\r" not in repository.git("show", "HEAD:train.py")
    assert repository.git("status", "--porcelain") == ""


def test_a_shallow_clone_is_migrated_and_lacks_history_only_for_since(
    repository: Repository, tmp_path: Path
) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.commit({"README": "2\n"})
    git(tmp_path, "clone", "-q", "--depth", "1", repository.top.as_uri(), "shallow")
    shallow = Repository(tmp_path / "shallow")
    shallow.git("config", "user.name", "x")
    shallow.git("config", "user.email", "x@example.org")
    before = _seen(shallow.top)
    with pytest.raises(ProjectError) as caught:
        shallow.migrate(since=first)
    assert caught.value.message.id == "git.unknown-ref-shallow"
    assert _seen(shallow.top) == before
    assert shallow.migrate().commits and shallow.git("status", "--porcelain") == ""
