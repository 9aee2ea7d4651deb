"""Commits by plumbing, and the one moment at which index, branch and work tree change.

The work tree changes last: if the process is killed, HEAD leads to the whole old state or to the whole new
one, and ``git restore --staged --worktree .`` brings it about.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message

from ..errors import InputError, ProjectError, writing
from ..files.writing.replacing import put_file, replace_file
from ..leftovers import scratch_folder
from ..paths import join, shown
from ..processes.interrupts import interrupts_deferred
from ..regular_files import read_regular
from .causes import Step
from .git import GitFailedError, failed
from .work_tree import WorkTree

_EXECUTABLE, _PLAIN = "100755", "100644"


class Made(NamedTuple):
    """A commit that was made."""

    number: str
    subject: str


@attrs.frozen
class Written:
    """A file that is changed or added."""

    path: str
    before: bytes | None
    """None where there is none."""
    after: bytes
    mode: int = 0o644


def require_free(tree: WorkTree, name: str) -> None:
    """Make sure that a branch can be made; the one that is checked out goes on.
    Raises InputError: it cannot have that name, or is there and not checked out."""
    try:
        tree.git("check-ref-format", "--branch", name)
    except GitFailedError as error:
        raise InputError(Message.of("in-place.branch-name", name=shown(name))) from error
    if name == tree.branch:
        return
    with suppress(GitFailedError):
        tree.git("rev-parse", "--verify", "--quiet", f"refs/heads/{name}")
        raise InputError(Message.of("in-place.branch-exists", name=shown(name)))


def commit(
    tree: WorkTree, name: str, steps: Sequence[Step], files: Sequence[Written], *, hooks: bool
) -> tuple[Made, ...]:
    """Make the commits, and bring branch, index and work tree to the last one.
    Raises ProjectError: git or a hook refuses, or a file was changed meanwhile; everything is as it was."""
    by_path = {file.path: file for file in files}
    try:
        with scratch_folder() as folder:
            index = folder / "index"
            tree.git("read-tree", tree.head, index=index)
            steps = [_with_hook(tree, step, folder) for step in steps] if hooks else steps
            made = _commits(tree, steps, by_path, index)
        with interrupts_deferred(), ExitStack() as undoing:
            undoing.enter_context(_indexed(tree, files))
            if hooks:  # which look at the files before there is a commit
                undoing.enter_context(_written(tree, files))
                tree.git.hook("pre-commit")
            undoing.enter_context(_checked_out(tree, name, made[-1].number))
            if not hooks:
                undoing.enter_context(_written(tree, files))
    except GitFailedError as error:
        raise failed(error) from error
    return made


@contextmanager
def _checked_out(tree: WorkTree, name: str, number: str) -> Iterator[None]:
    """Have the branch end with a commit, and HEAD lead to it; undone if what follows fails."""
    reference = f"refs/heads/{name}"
    nothing = "0" * len(tree.head)
    before = tree.head if name == tree.branch else nothing
    head = f"refs/heads/{tree.branch}" if tree.branch is not None else None
    tree.git("update-ref", reference, number, before)
    try:
        tree.git("symbolic-ref", "HEAD", reference)
        yield
    except BaseException:
        if head is not None:
            tree.git("symbolic-ref", "HEAD", head)
        else:
            tree.git("update-ref", "--no-deref", "HEAD", tree.head)
        tree.git("update-ref", reference, before, number)
        raise


def _commits(
    tree: WorkTree, steps: Sequence[Step], files: dict[str, Written], index: Path
) -> tuple[Made, ...]:
    made: list[Made] = []
    parent = tree.head
    for step in steps:
        entries = (
            _entry(tree, path, _stored(tree, files[path], data), files[path])
            for path, data in step.files.items()
        )
        tree.git("update-index", "-z", "--index-info", given=b"".join(entries), index=index)
        root = os.fsdecode(tree.git("write-tree", index=index)).strip()
        words = ("commit-tree", root, "-p", parent)
        parent = os.fsdecode(tree.git(*words, given=step.message.encode("utf-8"))).strip()
        made.append(Made(parent, step.message.partition("\n")[0]))
    return tuple(made)


def _stored(tree: WorkTree, file: Written, data: bytes) -> bytes:
    return data if file.before is None else tree.as_stored(file.path, file.before, data)


def _entry(tree: WorkTree, path: str, data: bytes, file: Written) -> bytes:
    """A line for the index; the content is put into the repository."""
    number = os.fsdecode(tree.git("hash-object", "-w", "--stdin", "--no-filters", given=data)).strip()
    known = tree.tracked.get(path)
    new_mode = _EXECUTABLE if file.mode & 0o100 else _PLAIN
    mode = known.mode if known is not None else new_mode
    return f"{mode} {number}\t".encode() + os.fsencode(path) + b"\0"


def _with_hook(tree: WorkTree, step: Step, folder: Path) -> Step:
    """The step with the message that the repository's hook makes of it."""
    place = folder / "MESSAGE"
    put_file(place, step.message.encode("utf-8"))
    tree.git.hook("commit-msg", str(place))
    return step._replace(message=read_regular(place).decode("utf-8", "replace"))


def _write(tree: WorkTree, file: Written) -> None:
    place = Path(join(str(tree.top), file.path))
    if file.before is not None:
        replace_file(place, file.before, file.after)
        return
    with writing(place):
        if os.path.lexists(place):
            raise InputError(Message.of("in-place.in-the-way", path=shown(place)))
        place.parent.mkdir(parents=True, exist_ok=True)
        put_file(place, file.after)
        place.chmod(file.mode)


@contextmanager
def _indexed(tree: WorkTree, files: Sequence[Written]) -> Iterator[None]:
    """Have the index hold the files; undone if what follows fails."""
    entries = (_entry(tree, file.path, _stored(tree, file, file.after), file) for file in files)
    given = b"".join(entries)
    try:
        tree.git("update-index", "-z", "--index-info", given=given)
        yield
    except BaseException:
        with suppress(GitFailedError):
            tree.git("update-index", "-z", "--index-info", given=b"".join(_earlier(tree, files)))
        raise


@contextmanager
def _written(tree: WorkTree, files: Sequence[Written]) -> Iterator[None]:
    """Have the work tree hold the files; undone if it, or what follows, fails."""
    try:
        for file in files:
            _write(tree, file)
        yield
    except BaseException:
        for file in files:
            place = Path(join(str(tree.top), file.path))
            with suppress(OSError, ProjectError):
                if file.before is not None:
                    replace_file(place, file.after, file.before)
                elif place.is_file():
                    _remove(tree, place, file)
        raise


def _earlier(tree: WorkTree, files: Sequence[Written]) -> Iterator[bytes]:
    """Lines by which the index is as it was."""
    for file in files:
        known = tree.tracked.get(file.path)
        entry = f"{known.mode} {known.number}" if known is not None else f"0 {'0' * len(tree.head)}"
        yield entry.encode() + b"\t" + os.fsencode(file.path) + b"\0"


def _remove(tree: WorkTree, place: Path, file: Written) -> None:
    """Take away a file that was added, and the directories that were made for it."""
    if read_regular(place) == file.after:
        place.unlink()
    for above in place.parents:
        if above == tree.top:
            return
        above.rmdir()
