"""Members that files leave unproven: what the rest of the project proves of them, and what stays open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol

from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.model.type_oracle import TypeOracle
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.unresolved import UnresolvedMember, resolved_finding


class ClosableOracle(TypeOracle, Protocol):
    """An oracle that holds something which must be let go."""

    def close(self) -> None:
        """Let it go."""


class Proven(NamedTuple):
    """A member whose receiver's class the project proves, and what there is to say of it."""

    finding: Finding
    line: int
    """From 1."""


class Settled(NamedTuple):
    """What became of a file's unproven members. Those that are no members of PyTorch's are in neither."""

    proven: tuple[Proven, ...]
    open: tuple[UnresolvedMember, ...]


class Prover:
    """Settles the unproven members of any number of projects, with an oracle for each."""

    def __init__(
        self, options: MigrationOptions, oracle_for: Callable[[Path], ClosableOracle] | None = None
    ) -> None:
        self._options = options
        self._oracle_for = oracle_for or self._jedi
        self._oracles: dict[str, ClosableOracle] = {}

    def __enter__(self) -> Prover:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for oracle in self._oracles.values():
            oracle.close()

    def settle(self, root: str, members: Iterable[UnresolvedMember]) -> Settled:
        """What the project below ``root`` proves of a file's members."""
        proven: list[Proven] = []
        left: list[UnresolvedMember] = []
        for member in members:
            name = self._oracle(root).class_of(member.question) if member.can_be_asked else None
            if name is None:
                left.append(member)
            elif name:
                finding = resolved_finding(member, name, self._options)
                proven += [Proven(finding, member.line)] if finding is not None else []
        return Settled(tuple(proven), tuple(left))

    def _oracle(self, root: str) -> ClosableOracle:
        if root not in self._oracles:
            self._oracles[root] = self._oracle_for(Path(root))
        return self._oracles[root]

    def _jedi(self, root: Path) -> ClosableOracle:
        from ..inference.oracle import JediOracle

        return JediOracle(root, self._options)
