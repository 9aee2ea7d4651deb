"""The lines of files that changed since a commit, compared by us: git reads no file of the work tree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ..paths import resolved
from ..regular_files import read_inside
from ..report.hunks import ALL, Touched, differing_lines
from ..report.renames import renamed
from .repository import Blob, Repository, Tree, algorithm_of, number_of, repository_of

_COMPARED = 25_000_000
"""Pairs of lines up to which the longest common ones are looked for; beyond, the nearest."""
_RENAMES = 200
"""Files that are gone of which one may be what a new file was."""


def touched_since(
    ref: str, starts: Sequence[Path], files: Iterable[str], limit: int
) -> Mapping[str, Touched]:
    """What changed in files since the last commit that HEAD has in common with a ref.

    A file that the commit does not have is touched as a whole, whether it is tracked or not, unless it is
    a file of the commit under another name. What ends a line is not compared.

    Args:
        starts: What the files are at or below; each lies in a repository.
        limit: Bytes of a file beyond which it counts as touched as a whole.

    Raises:
        InputError: there is no git, no repository, no such ref, or history is missing.
    """
    commits: dict[Path, _Commit] = {}
    for start in starts:
        repository = repository_of(start)
        if repository.top not in commits:
            commits[repository.top] = _commit(repository, repository.base(ref), limit)
    found: dict[str, Touched] = {}
    by_commit: dict[Path, dict[str, str]] = {}
    for file in files:
        place = resolved(Path(file))
        tops = [top for top in commits if top in place.parents]
        if tops:
            top = max(tops, key=lambda item: len(item.parts))
            by_commit.setdefault(top, {})[place.relative_to(top).as_posix()] = file
        else:  # where a link leads
            found[file] = ALL
    for top, paths in by_commit.items():
        for path, touched in commits[top].touched(list(paths)):
            found[paths[path]] = touched
    return found


class _Commit(NamedTuple):
    """All files of a commit and of its submodules."""

    top: Path
    files: Mapping[str, tuple[Repository, Blob]]
    limit: int

    def touched(self, paths: Sequence[str]) -> Iterator[tuple[str, Touched]]:
        """What changed in files, each by its path."""
        new = {path: text for path in paths if (text := self._now(path)) is not None}
        known = self._texts([path for path in new if path in self.files])
        added = {path: text for path, text in new.items() if path not in self.files}
        known.update(self._before_renames(added))
        for path in paths:
            text, before = new.get(path), known.get(path)
            yield path, ALL if text is None or before is None else _compared(before, text)

    def _now(self, path: str) -> bytes | None:
        try:
            return read_inside(self.top, self.top.joinpath(*path.split("/")), self.limit)
        except OSError:
            return None

    def _before_renames(self, added: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """The texts that new files had under other names, which are gone."""
        suffixes = {PurePosixPath(path).suffix for path in added}
        candidates = (path for path in self.files if PurePosixPath(path).suffix in suffixes)
        gone = [path for path in candidates if not os.path.lexists(self.top.joinpath(*path.split("/")))]
        texts = self._texts(gone[:_RENAMES])
        lost = {path: self.files[path][1].id for path in texts}
        algorithm = algorithm_of(next(iter(lost.values()), ""))
        found = {path: number_of(text, algorithm) for path, text in added.items()}
        return {new: texts[old] for old, new in renamed(lost, found, texts.get, added.get).items()}

    def _texts(self, paths: Sequence[str]) -> dict[str, bytes]:
        by_repository: dict[Repository, dict[str, str]] = {}
        for path in paths:
            repository, blob = self.files[path]
            if blob.size <= self.limit:
                by_repository.setdefault(repository, {})[path] = blob.id
        texts: dict[str, bytes] = {}
        for repository, ids in by_repository.items():
            contents = repository.contents(sorted(set(ids.values())))
            texts.update({path: contents[item] for path, item in ids.items() if item in contents})
        return texts


def _commit(repository: Repository, commit: str, limit: int) -> _Commit:
    return _Commit(repository.top, dict(_files_of(repository, repository.tree(commit), "")), limit)


def _files_of(
    repository: Repository, tree: Tree, prefix: str
) -> Iterator[tuple[str, tuple[Repository, Blob]]]:
    for path, blob in tree.files.items():
        yield prefix + path, (repository, blob)
    for path, commit in tree.submodules.items():
        inner = repository.top.joinpath(*path.split("/"))
        if os.path.lexists(inner / ".git"):  # else it is not checked out
            module = repository_of(inner)
            yield from _files_of(module, module.tree(commit), f"{prefix}{path}/")


def _compared(before: bytes, after: bytes) -> Touched:
    if before == after:
        return Touched()
    old, new = _lines(before), _lines(after)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    ranges = [(first + start + 1, first + end + 1) for start, end in _differing(old, new)]
    return Touched(tuple(ranges))


def _differing(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Lines of the new text that the old one has not; an empty range where lines are gone."""
    if len(old) * len(new) > _COMPARED:
        yield from differing_lines(old, new)
        return
    for tag, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield start, end


def _lines(text: bytes) -> list[bytes]:
    """The lines as findings count them."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
