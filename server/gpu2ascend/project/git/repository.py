"""A repository: its work tree, its commits, and the files of a commit."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message

from ..errors import InputError
from ..paths import is_directory, resolved, shown
from .running import run_git

SUBMODULE = "160000"
"""The mode of a submodule."""
_REGULAR = ("100644", "100755")


class Entry(NamedTuple):
    """What a commit has under a path."""

    mode: str
    id: str
    size: int | None
    """None of what is no file, or not there."""


class Blob(NamedTuple):
    """A regular file of a commit."""

    id: str
    size: int


class Tree(NamedTuple):
    """What a commit has."""

    files: Mapping[str, Blob]
    """By the path in the repository, with ``/``."""
    submodules: Mapping[str, str]
    """The commit of each, by its path."""


class Repository(NamedTuple):
    """The repository of a work tree."""

    top: Path
    """The directory of the work tree, without links."""

    def commit(self, ref: str) -> str:
        """The commit that a branch, a tag or a number names.
        Raises InputError: nothing has the name; of a clone that lacks history, that it does."""
        # git of 2023 and older knows no mark of the end of options here.
        answer = None if ref.startswith("-") else self._asked("rev-parse", "--verify", f"{ref}^{{commit}}")
        if answer is None:
            raise self._missing("git.unknown-ref", ref)
        return answer

    def base(self, ref: str) -> str:
        """The last commit that a ref and HEAD have in common.
        Raises InputError: there is none, or no such ref."""
        commit = self.commit(ref)
        base = self._asked("merge-base", commit, self.commit("HEAD"))
        if base is None:
            raise self._missing("git.no-base", ref)
        return base

    def tree(self, commit: str) -> Tree:
        """All files of a commit. Raises InputError: it cannot be read."""
        files: dict[str, Blob] = {}
        submodules: dict[str, str] = {}
        for path, entry in self.entries(commit):
            if entry.mode == SUBMODULE:
                submodules[path] = entry.id
            elif entry.mode in _REGULAR and entry.size is not None:
                files[path] = Blob(entry.id, entry.size)
        return Tree(files, submodules)

    def entries(self, commit: str) -> Iterator[tuple[str, Entry]]:
        """All that a commit has, each with its path. Raises InputError: it cannot be read."""
        answer = run_git(self.top, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
        if answer.code:
            raise InputError(
                Message.of("git.unreadable", path=shown(self.top), reason=shown(answer.error[:200]))
            )
        for entry in filter(None, answer.output.split(b"\0")):
            facts, _, name = entry.partition(b"\t")
            mode, _, object_id, size = facts.decode("ascii").split()
            yield os.fsdecode(name), Entry(mode, object_id, int(size) if size.isdecimal() else None)

    def contents(self, ids: Collection[str]) -> dict[str, bytes]:
        """The content of each blob that the repository has, without filters and conversions."""
        wanted = "".join(f"{item}\n" for item in ids).encode("ascii")
        output = run_git(self.top, "cat-file", "--batch", given=wanted).output if ids else b""
        found: dict[str, bytes] = {}
        place = 0
        while place < len(output):
            end = output.index(b"\n", place)
            header = output[place:end].decode("ascii", "replace").split()
            place = end + 1
            if len(header) == 3 and header[2].isdecimal():
                size = int(header[2])
                found[header[0]] = output[place : place + size]
                place += size + 1
        return found

    def _asked(self, *arguments: str) -> str | None:
        answer = run_git(self.top, *arguments)
        return answer.line if answer.code == 0 and answer.line else None

    def _missing(self, message: str, ref: str) -> InputError:
        is_shallow = self._asked("rev-parse", "--is-shallow-repository") == "true"
        return InputError(
            Message.of(f"{message}-shallow" if is_shallow else message, ref=shown(ref), path=shown(self.top))
        )


def number_of(data: bytes, algorithm: str) -> str:
    """git's number of a content."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def algorithm_of(number: str) -> str:
    """The algorithm by which a repository numbers contents, by one of its numbers."""
    return "sha256" if len(number) == 64 else "sha1"


def repository_of(path: Path) -> Repository:
    """The repository whose work tree a path is in.
    Raises InputError: it is in none, or git does not say so; with what git says."""
    place = resolved(path)
    directory = place if is_directory(place) else place.parent
    answer = run_git(directory, "rev-parse", "--show-toplevel")
    top = resolved(Path(answer.line)) if answer.code == 0 and answer.line else None
    if top is None or not (directory == top or top in directory.parents):
        said = shown(answer.error.splitlines()[0][:300]) if answer.error else "-"
        raise InputError(Message.of("git.no-repository", path=shown(path), reason=said))
    return Repository(top)
