"""Which PyTorch version a project asks for: read from its requirement files, never by running it.

Only a condition that names one version decides. ``torch>=1.8`` names none: the oldest release that the
project may run with says little about the one that its user wants to run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.hardware import Hardware, versions_on
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from gpu2ascend_rules.options.options import option_infos
from gpu2ascend_rules.options.specifiers import Clause, allowed_versions, parse_clauses
from gpu2ascend_rules.options.version_choice import neighbours, version_meant
from gpu2ascend_rules.targets.target import Target

from ..errors import SettingsError, VersionNotFoundError
from ..paths import is_file, shown
from ..regular_files import WRITTEN_BY_HAND, open_inside
from .settings import read_toml
from .settings_files import FILE_NAME

_PATTERNS = ("requirements*.txt", "requirements/*.txt", "requirements*.in", "setup.cfg")
_CONDA_PATTERNS = ("environment*.yml", "environment*.yaml", "env*.yml", "conda*.yml", "conda*.yaml")

_REQUIREMENT = re.compile(
    r"^[\s\-\"']*(?:[\w-]+::)?(?:torch|pytorch)(?:\[[^\]]*\])?\s*\(?\s*"
    r"((?:===?|~=|!=|<=?|>=?|=)\s*\d[^;#\"')]*)"
)


class Detected(NamedTuple):
    """A version with what the user should know about how it was found."""

    version: Version
    notice: Message


class _Asked(NamedTuple):
    """A condition on torch as a file spells it."""

    file: Path
    spelling: str


def detect_version(root: Path) -> Detected:
    """The one supported version that the requirement files of a project's top directory allow.

    Raises:
        VersionNotFoundError: they name none, several, or one that is not supported.
    """
    asked = list(_conditions(root))
    answers: dict[Version, _Asked] = {}
    for item in asked:
        versions = _versions_named(parse_clauses(item.spelling))
        if len(versions) == 1:
            answers.setdefault(versions[0], item)
    if len(answers) == 1:
        version, item = next(iter(answers.items()))
        notice = Message.of(
            "project.version-detected",
            version=version,
            file=shown(item.file.relative_to(root)),
            spelling=item.spelling,
        )
        return Detected(version, notice)
    raise VersionNotFoundError(_why_not(root, asked, answers))


def version_for(target: Target, root: Path) -> Detected:
    """The version to migrate a project for: the one that it asks for, else that of the target.

    Raises:
        VersionNotFoundError: it names none that the target can be chosen for, and the target has none itself.
    """
    default = target.default_version
    if default is None:
        return detect_version(root)
    try:
        found = detect_version(root)
    except VersionNotFoundError:
        return Detected(default, Message.of("project.version-of-target", version=default))
    if found.version in target.versions:
        return found
    notice = Message.of(
        "project.version-not-of-target",
        asked=found.version,
        first=target.versions[0],
        target=Message.of(target.title_id),
        version=default,
    )
    return Detected(default, notice)


def tells_of_version(target: Target) -> bool:
    """Whether the user should know which PyTorch version was taken: not where it says nothing of new text."""
    return target.version_option == "version"


def version_of_reading(target: Target, root: Path, hardware: Hardware) -> Detected:
    """The version to look at a project for, whatever its target: see :func:`version_to_read`."""
    is_of_target = target.default_version is not None
    return version_for(target, root) if is_of_target else version_to_read(root, hardware)


def version_to_read(root: Path, hardware: Hardware) -> Detected:
    """The version to read a project with: a look at it never fails for want of one.

    That is the one that :func:`detect_version` finds, else the newest that satisfies all that the project
    asks for, else the newest that it names, else the newest of all; of those that the hardware has releases
    for.
    """
    return _chosen(root, hardware, _TO_READ)


def version_to_propose(root: Path, hardware: Hardware) -> Detected:
    """The same, with the reason as a form says it."""
    return _chosen(root, hardware, _TO_PROPOSE)


class _Notices(NamedTuple):
    """What is said of a version that nobody chose, by what it was chosen for."""

    satisfies: str
    several: str
    unsatisfied: str
    newest: str


_TO_READ = _Notices(
    "project.version-proposed",
    "project.version-read-several",
    "project.version-read-unsatisfied",
    "project.version-newest",
)
_TO_PROPOSE = _Notices(
    "project.version-reason-satisfies",
    "project.version-reason-several",
    "project.version-reason-unsatisfied",
    "project.version-reason-newest",
)


def _chosen(root: Path, hardware: Hardware, notices: _Notices) -> Detected:
    try:
        return detect_version(root)
    except VersionNotFoundError:
        asked = list(_conditions(root))
    clauses = [parse_clauses(item.spelling) for item in asked]
    known = versions_on(hardware)
    satisfying = allowed_versions(clause for condition in clauses for clause in condition)
    named = [version for condition in clauses for version in _versions_named(condition)]
    wanted = {notices.satisfies: satisfying if asked else (), notices.several: sorted(named)}
    wanted[notices.unsatisfied if asked else notices.newest] = known
    usable = ((notice, [one for one in versions if one in known]) for notice, versions in wanted.items())
    notice, version = next((notice, versions[-1]) for notice, versions in usable if versions)
    flag = option_infos()["version"].name
    return Detected(version, Message.of(notice, version=version, found=_listed(root, asked), flag=flag))


def version_notice(spelling: str) -> Message | None:
    """What to report to a user whose ``spelling`` chose a version that it does not name exactly.

    Raises:
        UnknownVersionError: the spelling chooses no supported version.
    """
    choice = version_meant(spelling)
    if choice.exact:
        return None
    return Message.of("project.version-mapped", spelling=spelling.strip(), version=choice.version)


def _versions_named(clauses: tuple[Clause, ...]) -> tuple[Version, ...]:
    """The versions that a condition names: a pin does, and a range with both ends; a lone bound does not."""
    operators = {clause.operator for clause in clauses}
    is_range = bool(operators & {"<", "<="} and operators & {">", ">="}) or bool(operators & {"^", "~"})
    is_pin = any(clause.is_pin for clause in clauses)
    return allowed_versions(clauses) if is_pin or is_range else ()


def _why_not(root: Path, asked: list[_Asked], answers: dict[Version, _Asked]) -> Message:
    known = ", ".join(str(version) for version in SUPPORTED_VERSIONS)
    flag = option_infos()["version"].name
    if not asked:
        return Message.of("project.version-missing", versions=known, flag=flag)
    places = answers.values() if answers else asked
    found = _listed(root, places)
    if answers:
        return Message.of("project.version-conflict", versions=known, found=found, flag=flag)
    clauses = (clause for item in asked for clause in parse_clauses(item.spelling))
    allowed = allowed_versions(clauses)
    if not allowed:
        around = _around_pin(asked)
        if around is not None:
            return Message.of("project.version-between", found=found, flag=flag, **around)
        return Message.of("project.version-open", versions=known, found=found, flag=flag)
    named = {"newest": allowed[-1], "allowed": ", ".join(map(str, allowed))}
    return Message.of("project.version-allowed", found=found, flag=flag, **named)


def _around_pin(asked: Iterable[_Asked]) -> dict[str, Version] | None:
    """The supported versions before and after the one release that the conditions pin, if both exist."""
    pins = {clause.release for item in asked for clause in parse_clauses(item.spelling) if clause.is_pin}
    found = neighbours(".".join(map(str, pins.pop()))) if len(pins) == 1 else None
    if found is None or found.before is None or found.after is None:
        return None
    return {"before": found.before, "after": found.after}


def _listed(root: Path, asked: Iterable[_Asked]) -> str:
    """Conditions with their files."""
    return "; ".join(
        sorted({f"{shown(item.file.relative_to(root))}: torch{item.spelling}" for item in asked})
    )


def _conditions(root: Path) -> Iterator[_Asked]:
    for path in _files(root, _PATTERNS + _CONDA_PATTERNS):
        for line in _text(root, path).splitlines():
            yield from _condition(path, line)
    if is_file(root / "setup.py"):
        for text in _string_literals(_text(root, root / "setup.py")):
            for line in text.splitlines():
                yield from _condition(root / "setup.py", line)
    yield from _pyproject_conditions(root / FILE_NAME)


def _files(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted({path for pattern in patterns for path in root.glob(pattern) if is_file(path)})


def _text(root: Path, path: Path) -> str:
    try:
        with open_inside(root, path) as file:
            return file.read(WRITTEN_BY_HAND).decode("utf-8-sig", "replace")
    except OSError:
        return ""


def _condition(path: Path, text: str) -> Iterator[_Asked]:
    match = _REQUIREMENT.match(text)
    if match is not None:
        yield _Asked(path, match[1].strip())


def _string_literals(text: str) -> list[str]:
    """The strings of a setup.py: wherever it keeps its requirements, they are among them."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def _pyproject_conditions(path: Path) -> Iterator[_Asked]:
    if not is_file(path):
        return
    try:
        document = read_toml(path)
    except SettingsError:
        return
    project = _table(document, "project")
    groups = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    groups += _table(document, "dependency-groups").values()
    for group in groups:
        for requirement in group if isinstance(group, list) else ():
            yield from _condition(path, str(requirement))
    poetry = _table(_table(document, "tool"), "poetry")
    torch = _table(poetry, "dependencies").get("torch")
    spelling = torch.get("version") if isinstance(torch, dict) else torch
    if isinstance(spelling, str) and parse_clauses(spelling):
        yield _Asked(path, spelling if not spelling[0].isdigit() else f"=={spelling}")


def _table(document: dict[str, Any], name: str) -> dict[str, Any]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}
