"""The packages of others that a project imports or requires, each judged by the table."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version
from tree_sitter import Node

from gpu2ascend_rules.facts.packages.third_party import (
    PackageVerdict,
    canonical,
    verdict_of_module,
    verdict_of_package,
)
from gpu2ascend_rules.hosting import plain_text
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.packages.places import Requirement
from gpu2ascend_rules.kinds.packages.requirement import read_requirement
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.text.guards import is_guarded
from gpu2ascend_rules.text.scopes import imported_module
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import enclosing, field, text_of

from ..examination import Examination

_OURS = re.compile(r"torch(?:_npu|-npu)?$|gpu2ascend")
_FAILING = frozenset({"no", "replaced"})
_SETUP = "setup.py"
_LISTS = ("install_requires", "extras_require")
_UPPER = ("==", "===", "<", "<=", "~=")
_LATER_THAN_ALL = Version("99999")


class PackageUse(NamedTuple):
    """A package, at the place where the project first imports or requires it."""

    name: str
    verdict: PackageVerdict | None
    """What the table has; None for a package that it does not have."""
    path: str
    line: int
    is_import: bool
    is_guarded: bool
    """Whether the project goes on without it."""
    versions: str
    """The releases that a list of dependencies asks for, as written."""
    is_too_old: bool
    """Whether all of these came before the first release that works."""

    @property
    def fails(self) -> bool:
        """Whether the project, as it is, cannot do with it on the NPU."""
        verdict = self.verdict
        return verdict is not None and not self.is_guarded and (verdict.status in _FAILING or self.is_too_old)


class PackageUses:
    """Collects the packages of a project, each once.

    It is at its first import, that which nothing guards before others; else where a list asks for it.
    """

    def __init__(self, project: ProjectView) -> None:
        self._project = project
        self._found: dict[str, PackageUse] = {}

    def add(self, path: str, file: Examination) -> None:
        """Look at the next file; ``path`` is relative to the project's directory."""
        for use in _uses(path, file, self._project):
            if _OURS.match(use.name):
                continue
            name = canonical(use.name)
            before = self._found.get(name)
            self._found[name] = use if before is None else _both(before, use)

    def result(self) -> tuple[PackageUse, ...]:
        """The packages by name."""
        return tuple(self._found[name] for name in sorted(self._found))


def _both(before: PackageUse, use: PackageUse) -> PackageUse:
    """One entry for two uses of a package: the first import that fails counts, and what a list asks for."""
    first, other = (before, use) if _weight(before) <= _weight(use) else (use, before)
    versions = first.versions or other.versions
    return first._replace(versions=versions, is_too_old=first.is_too_old or other.is_too_old)


def _weight(use: PackageUse) -> int:
    return (0 if use.is_import else 2) + (1 if use.is_guarded else 0)


def _uses(path: str, file: Examination, project: ProjectView) -> Iterator[PackageUse]:
    source = file.source
    if isinstance(source, SourceFile):
        for use in _imported(path, source, project):
            yield use if file.notebook is None else use._replace(line=file.notebook.file_line(use.line)[1])
    elif isinstance(source, KindFile):
        for place in source.places_about(()):
            if isinstance(place, Requirement):
                line = source.lines.line_of(place.start) + 1
                yield _required(path, place.name, place.versions, line)


def _imported(path: str, source: SourceFile, project: ProjectView) -> Iterator[PackageUse]:
    for binding in source.names.imports:
        is_from = binding.statement.type == "import_from_statement"
        name = binding.target if is_from else imported_module(binding.node)
        root = name.partition(".")[0]
        if not root or root in sys.stdlib_module_names or _OURS.match(root):
            continue
        if project.has_module(path, root):
            continue
        verdict = verdict_of_module(name)
        tried = is_guarded(binding.statement) or enclosing(binding.node, "function_definition") is not None
        shown = verdict.name if verdict is not None else root
        line = source.lines.line_of(binding.node.start_byte) + 1
        yield PackageUse(shown, verdict, path, line, True, tried, "", False)
    if path.rpartition("/")[2] == _SETUP:
        yield from _required_by_setup(path, source)


def _required_by_setup(path: str, source: SourceFile) -> Iterator[PackageUse]:
    """What a setup script lists itself; a list that it reads from a file is seen there."""
    for keyword in _LISTS:
        for name in source.identifiers(keyword):
            argument = name.parent
            if argument is None or argument.type != "keyword_argument":
                continue
            for item in _listed(field(argument, "value"), source):
                text = plain_text(item)
                written = read_requirement(text) if text else None
                if written is not None:
                    line = source.lines.line_of(item.start_byte) + 1
                    yield _required(path, written.name, written.versions, line)


def _listed(value: Node | None, source: SourceFile) -> Iterator[Node]:
    """The texts of a list, of sums of lists, and of lists in a dictionary, also where they have a name."""
    pending, seen = deque([value]), set[int]()
    while pending:
        node = pending.popleft()
        if node is None or node.id in seen:
            continue
        seen.add(node.id)
        if node.type == "string":
            yield node
        elif node.type == "identifier":
            found = source.names.bindings_in_scope(text_of(node), node)
            pending += (binding.value for binding in found)
        elif node.type == "pair":
            pending.append(field(node, "value"))
        elif node.type in ("list", "tuple", "dictionary", "binary_operator", "parenthesized_expression"):
            pending += node.named_children


def _required(path: str, name: str, versions: str, line: int) -> PackageUse:
    verdict = verdict_of_package(name)
    is_too_old = verdict is not None and _comes_before(versions, verdict)
    shown = verdict.name if verdict is not None else canonical(name)
    return PackageUse(shown, verdict, path, line, False, False, versions, is_too_old)


def _comes_before(versions: str, verdict: PackageVerdict) -> bool:
    """Whether a list asks for releases only that came before the first one that works."""
    if not verdict.works_from or verdict.status not in ("works", "part"):
        return False
    try:
        asked = SpecifierSet(versions)
    except InvalidSpecifier:
        return False
    first = Version(verdict.works_from)
    upper = [item for item in asked if item.operator in _UPPER]
    may_be_later = any(asked.contains(release, prereleases=True) for release in (first, _LATER_THAN_ALL))
    return bool(upper) and not may_be_later and all(_bound(item.version) <= first for item in upper)


def _bound(version: str) -> Version:
    return Version(version.removesuffix(".*"))
