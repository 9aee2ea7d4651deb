"""The lines of files that changed since a commit, compared by us: git reads no file of the work tree."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ..paths import resolved
from ..regular_files import read_inside
from ..report.hunks import differing_lines
from .repository import Blob, Repository, Tree, repository_of

_COMPARED = 25_000_000
"""Pairs of lines up to which the longest common ones are looked for; beyond, the nearest."""
_RENAMES = 200
"""Files that are gone of which one may be what a new file was."""
_ALIKE = 0.5
"""The share of lines that a renamed file has kept, as in git."""


class Touched(NamedTuple):
    """What changed in a file, by lines from 1."""

    ranges: tuple[tuple[int, int], ...] = ()
    """Lines from the first to before the last, in order; nothing between them where lines are gone."""

    @property
    def is_changed(self) -> bool:
        """Whether anything changed."""
        return bool(self.ranges)

    def touches(self, first: int, last: int) -> bool:
        """Whether one of some lines changed, or lines between two of them are gone."""
        before = bisect_right(self.ranges, (last, 1 << 60))
        return any(
            end > first if end > start else first < start <= last for start, end in self.ranges[:before]
        )


ALL = Touched(((1, 1 << 60),))


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
        gone = self._gone(new.keys() - self.files.keys())
        for path in paths:
            text = new.get(path)
            before = known.get(path) if path in self.files else _renamed_from(path, text or b"", gone)
            yield path, ALL if text is None or before is None else _compared(before, text)

    def _now(self, path: str) -> bytes | None:
        try:
            return read_inside(self.top, self.top.joinpath(*path.split("/")), self.limit)
        except OSError:
            return None

    def _gone(self, added: Iterable[str]) -> Mapping[str, bytes]:
        """The texts of files of the commit that are gone and may be what a new one was."""
        suffixes = {PurePosixPath(path).suffix for path in added}
        candidates = (path for path in self.files if PurePosixPath(path).suffix in suffixes)
        gone = [path for path in candidates if not os.path.lexists(self.top.joinpath(*path.split("/")))]
        return self._texts(gone[:_RENAMES])

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


def _renamed_from(path: str, text: bytes, gone: Mapping[str, bytes]) -> bytes | None:
    """The text of the file that a new one was, if one is the same or alike."""
    same_kind = [
        old for name, old in gone.items() if PurePosixPath(name).suffix == PurePosixPath(path).suffix
    ]
    lines = Counter(_lines(text))
    alike = [(_likeness(lines, Counter(_lines(old))), old) for old in same_kind]
    best = max(alike, key=lambda item: item[0], default=(0.0, b""))
    return best[1] if best[0] >= _ALIKE else None


def _likeness(one: Counter[bytes], other: Counter[bytes]) -> float:
    return (one & other).total() / max(one.total(), other.total(), 1)


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
