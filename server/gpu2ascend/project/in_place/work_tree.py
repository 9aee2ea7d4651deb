"""The state of a work tree, found without any program that a repository names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message

from ..errors import InputError
from ..files.places import input_directory
from ..git.repository import SUBMODULE, Repository, number_of, repository_of
from ..git.touched import touched_since
from ..paths import exists, join, listed, shown
from ..regular_files import read_regular
from ..report.hunks import Touched
from ..update.places import state_of
from .git import Git, GitFailedError, failed, records

NAMED = 5
_LINK = "120000"


class Tracked(NamedTuple):
    """A path in the index."""

    mode: str
    number: str
    """Of its content."""


@attrs.frozen
class WorkTree:
    """A clean work tree."""

    git: Git
    top: Path
    prefix: str
    """The project in it, with ``/`` behind; empty where it is the whole."""
    head: str
    branch: str | None
    """The one that is checked out."""
    tracked: dict[str, Tracked]
    filtered: frozenset[str]
    """Paths that a filter attribute governs."""
    algorithm: str

    @property
    def in_submodules(self) -> tuple[str, ...]:
        """How the paths of files in submodules begin."""
        return tuple(f"{path}/" for path, entry in self.tracked.items() if entry.mode == SUBMODULE)

    def as_stored(self, path: str, before: bytes, data: bytes) -> bytes:
        """New content of a file as the repository stores it: with the line ends of what it has.

        Args:
            before: The content of the file in the work tree.
        """
        if self._is_stored(path, before):
            return data
        return data.replace(b"\r\n", b"\n")

    def is_clean(self, path: str, before: bytes) -> bool:
        """Whether a content is the one in the index, but for line ends that git changed."""
        return self._is_stored(path, before) or self._is_stored(path, before.replace(b"\r\n", b"\n"))

    def _is_stored(self, path: str, data: bytes) -> bool:
        return number_of(data, self.algorithm) == self.tracked[path].number


def clean_work_tree(directory: Path) -> WorkTree:
    """Look at a work tree in which a project lies.
    Raises InputError: it is no work tree, is in the middle of something, or holds changes."""
    root = input_directory(directory)
    git = Git(root)
    try:
        tree = _opened(git, root)
        _refuse_changes(tree)
    except GitFailedError as error:
        raise failed(error) from error
    return tree


def changed_since(tree: WorkTree, root: Path, reference: str, limit: int) -> dict[str, Touched]:
    """What changed in files of the project since the last commit that HEAD has in common with a reference.

    Args:
        root: The project.
        limit: Bytes of a file beyond which it counts as changed as a whole.

    Returns:
        What changed in each file, by its path in the project.

    Raises:
        InputError: there is no such commit, or history is missing.
    """
    base = repository_of(tree.top).base(reference)
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", base, tree.head)
    try:
        paths = [path for path in records(tree.git(*words)) if path.startswith(tree.prefix)]
    except GitFailedError as error:
        raise failed(error) from error
    files = {join(str(tree.top), path): path.removeprefix(tree.prefix) for path in paths}
    found = touched_since(reference, [root], [place for place in files if exists(Path(place))], limit)
    return {files[place]: touched for place, touched in found.items()}


def _opened(git: Git, root: Path) -> WorkTree:
    top = repository_of(root).top
    if not exists(top / ".git"):
        raise InputError(Message.of("in-place.elsewhere", path=shown(root), top=shown(top)))
    state = state_of(Path(git.text("rev-parse", "--absolute-git-dir")))
    if state is not None:
        raise InputError(Message.of("in-place.unfinished", path=shown(top), state=state))
    try:
        head = git.text("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitFailedError as error:
        raise InputError(Message.of("in-place.no-commit", path=shown(top))) from error
    at_top = Git(top)
    tracked = _tracked(at_top)
    prefix = root.relative_to(top).as_posix()
    return WorkTree(
        at_top,
        top,
        "" if prefix == "." else f"{prefix}/",
        head,
        _branch(at_top),
        tracked,
        filtered(at_top, tracked),
        at_top.text("rev-parse", "--show-object-format"),
    )


def _branch(git: Git) -> str | None:
    try:
        return git.text("symbolic-ref", "--quiet", "HEAD").removeprefix("refs/heads/")
    except GitFailedError:
        return None


def _tracked(git: Git) -> dict[str, Tracked]:
    found: dict[str, Tracked] = {}
    for record in records(git("ls-files", "--stage", "-z")):
        head, _, path = record.partition("\t")
        mode, number, stage = head.split(" ")
        if stage != "0":
            raise InputError(Message.of("in-place.unfinished", path=shown(path), state="merge"))
        found[path] = Tracked(mode, number)
    return found


def filtered(git: Git, paths: Iterable[str]) -> frozenset[str]:
    """Those of some paths that a filter attribute governs. Raises GitFailedError: git cannot say."""
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    output = git("check-attr", "-z", "--stdin", "filter", given=given).split(b"\0")
    values = zip(output[::3], output[2::3], strict=False)
    return frozenset(os.fsdecode(path) for path, value in values if value not in (b"unspecified", b"unset"))


def _refuse_changes(tree: WorkTree) -> None:
    """What is staged, changed, gone or not tracked. Whether a file behind a filter changed is not known."""
    entries = Repository(tree.top).entries(tree.head)
    stored = {path: Tracked(entry.mode, entry.id) for path, entry in entries}
    changed = [
        path for path in tree.tracked.keys() | stored.keys() if tree.tracked.get(path) != stored.get(path)
    ]
    changed += [path for path in tree.tracked if not _is_unchanged(tree, path)]
    changed += records(tree.git("ls-files", "--others", "--exclude-standard", "-z"))
    if changed:
        named = [shown(path) for path in sorted(set(changed))]
        given = {"path": shown(tree.top), "count": len(named), "names": listed(named, NAMED)}
        raise InputError(Message.of("in-place.dirty", **given))


def _is_unchanged(tree: WorkTree, path: str) -> bool:
    entry, place = tree.tracked[path], join(str(tree.top), path)
    if entry.mode == SUBMODULE or path in tree.filtered:
        return True
    try:
        if entry.mode == _LINK:
            target = os.readlink(place)  # noqa: PTH115
            return number_of(os.fsencode(target), tree.algorithm) == entry.number
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return False
        return tree.is_clean(path, read_regular(place))
    except OSError:
        return False
