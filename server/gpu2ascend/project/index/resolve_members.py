"""Members whose receivers a file leaves unresolved, resolved by what the rest of the project proves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol

from gpu2ascend_rules.model.finding import Finding, Message
from gpu2ascend_rules.model.type_oracle import TypeOracle
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.unresolved import UnresolvedMember, resolved_finding

from ..files.discover import EntryKind, walk
from ..files.excludes import Excludes
from ..regular_files import read_inside


def unasked_notice(members: Iterable[UnresolvedMember]) -> Message | None:
    """What to say of members that stay open because what looks up types is not installed."""
    count = sum(member.can_be_asked for member in members)
    if not count:
        return None
    from ..own_packages import LOOK_UP, is_installed, requirement

    if is_installed(LOOK_UP):
        return None
    needs = requirement(LOOK_UP)
    return Message.of("project.not-looked-up", count=count, package=LOOK_UP, requirement=needs)


class ClosableOracle(TypeOracle, Protocol):
    """An oracle that holds a resource."""

    def close(self) -> None:
        """Release the resource."""


class ResolvedMember(NamedTuple):
    """The finding about a member whose receiver's class the project proves."""

    finding: Finding
    line: int
    """From 1."""


class Resolution(NamedTuple):
    """A file's unresolved members after the look across the project, but those that are not PyTorch's."""

    resolved: tuple[ResolvedMember, ...]
    open: tuple[UnresolvedMember, ...]


class MemberResolver:
    """Resolves the open members of any number of projects, with an oracle for each."""

    def __init__(
        self, options: MigrationOptions, oracle_for: Callable[[Path], ClosableOracle] | None = None
    ) -> None:
        self._options = options
        self._oracle_for = oracle_for or self._jedi
        self._oracles: dict[str, ClosableOracle] = {}
        self._named: dict[tuple[str, bytes], bool] = {}

    def __enter__(self) -> MemberResolver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for oracle in self._oracles.values():
            oracle.close()

    def resolve(
        self, root: str, members: Iterable[UnresolvedMember], before: Callable[[], None] = lambda: None
    ) -> Resolution:
        """What the project below ``root`` proves of a file's members.

        ``before`` is called before each question, which may take seconds; what it raises ends the look-up.
        """
        resolved: list[ResolvedMember] = []
        left: list[UnresolvedMember] = []
        for member in members:
            before()
            name = self._class_of(root, member) if member.can_be_asked else None
            if name is None:
                left.append(member)
            elif name:
                finding = resolved_finding(member, name, self._options)
                resolved += [ResolvedMember(finding, member.line)] if finding is not None else []
        return Resolution(tuple(resolved), tuple(left))

    def _class_of(self, root: str, member: UnresolvedMember) -> str | None:
        """The class of a member's receiver; empty for one of others, None where nothing shows it."""
        is_none = member.layers and not any(self._is_named(root, name) for name in member.layers)
        return "" if is_none else self._oracle(root).class_of(member.question)

    def _is_named(self, root: str, name: str) -> bool:
        word = name.rpartition(".")[2].encode()
        if (root, word) not in self._named:
            self._named[root, word] = any(word in data for data in _python_texts(Path(root), self._options))
        return self._named[root, word]

    def _oracle(self, root: str) -> ClosableOracle:
        if root not in self._oracles:
            self._oracles[root] = self._oracle_for(Path(root))
        return self._oracles[root]

    def _jedi(self, root: Path) -> ClosableOracle:
        from ..inference.oracle import JediOracle

        return JediOracle(root, self._options)


def _python_texts(root: Path, options: MigrationOptions) -> Iterator[bytes]:
    """The Python files below a directory that can be read."""
    with suppress(OSError):
        for entry in walk(root, Excludes(options.exclude, options.copy)):
            if entry.kind is EntryKind.PYTHON:
                with suppress(OSError):
                    yield read_inside(root, root / entry.path, options.max_file_bytes)
