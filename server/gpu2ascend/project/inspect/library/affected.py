"""The public functions of a library that reach APIs which do not work on the NPU."""

from __future__ import annotations

import enum
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Finding, Severity
from gpu2ascend_rules.text.source_file import SourceFile

from ...examination import Examination
from .graph import CallGraph
from .units import ModuleUnits

_LONGEST_TEXT = 60


class Need(enum.Enum):
    """Why an API is listed. The values end the names of the vendor's tables."""

    UNSUPPORTED = "framework_unsupported_op"
    MIGRATION = "migration_needed_op"
    """Works once it is migrated: what is CUDA's, or names its devices."""
    CUDA_OPERATOR = "cuda_op"
    UNKNOWN = "unknown_op"


class Reached(NamedTuple):
    """A place at which an API is used."""

    need: Need
    api: str
    path: str
    line: int


class Affected(NamedTuple):
    """A function of the library, or its module-level code."""

    path: str
    line: int
    names: tuple[str, ...]
    """By which users of the library know it, the shortest first."""
    reaches: tuple[Reached, ...]


def need_of(finding: Finding) -> Need | None:
    """Why a finding's API keeps a library from working on the NPU; None for what is no such API."""
    named = {"unsupported": Need.UNSUPPORTED, "unknown": Need.UNKNOWN, "cuda_op": Need.CUDA_OPERATOR}
    if finding.kind in named:
        return named[finding.kind]
    if finding.kind == "library" or finding.severity not in (Severity.ERROR, Severity.WARNING):
        return None
    return Need.MIGRATION


def api_of(finding: Finding, source: SourceFile) -> str:
    """What the tables call the API: its name, else what the file has there, else the code of the rule."""
    named = dict(finding.message.arguments).get("api")
    if finding.api or (isinstance(named, str) and named):
        return str(finding.api or named)
    written = source.data[finding.start : finding.end].decode("utf-8", "replace")
    return written if written.isprintable() and len(written) <= _LONGEST_TEXT else finding.code


def affected_functions(
    files: Iterable[ModuleUnits], found: Mapping[str, Iterable[tuple[Reached, int]]]
) -> tuple[Affected, ...]:
    """The public units that reach one of the places, by file and line.

    Args:
        files: What the library's files define.
        found: By file, where APIs are used, each with its offset.
    """
    files = tuple(files)
    graph = CallGraph(files)
    reached: dict[str, set[Reached]] = defaultdict(set)
    for file in files:
        for use, offset in found.get(file.path, ()):
            reached[file.unit_at(offset).name].add(use)
    _spread(reached, graph.users())
    names = graph.public_names()
    rows = (
        Affected(file.path, unit.line, names[unit.name], tuple(sorted(reached[unit.name], key=_in_order)))
        for file in files
        for unit in file.units
        if unit.name in reached and names.get(unit.name)
    )
    return tuple(sorted(rows, key=lambda row: (row.path, row.line, row.names)))


def _in_order(use: Reached) -> tuple[str, int, str]:
    return use.path, use.line, use.api


def _spread(reached: dict[str, set[Reached]], users: Mapping[str, frozenset[str]]) -> None:
    """Give to each unit what the units that it uses reach; circles end when nothing is new."""
    pending = deque(reached)
    while pending:
        unit = pending.popleft()
        for user in users.get(unit, ()):
            before = len(reached[user])
            reached[user] |= reached[unit]
            if len(reached[user]) > before:
                pending.append(user)


def reached_in(file: Examination, path: str) -> tuple[tuple[Reached, int], ...]:
    """Where a file's findings are about APIs, each with its offset; ``path`` names the file."""
    source = file.source
    if not isinstance(source, SourceFile) or not path.endswith(".py"):
        return ()
    needs = ((finding, need_of(finding)) for finding in file.findings)
    return tuple(
        (Reached(need, api_of(finding, source), path, source.lines.line_of(finding.start) + 1), finding.start)
        for finding, need in needs
        if need is not None
    )
