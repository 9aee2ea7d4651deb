"""Which PyTorch version a project gets: of its marker or its requirement files, never by running it.

The marker of a migrated project wins; then the one version that the requirements name; then the newest one
that they allow. Every command and the dialog ask here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.hardware import Hardware, versions_on
from gpu2ascend_rules.model.versions import (
    NEWEST,
    SUPPORTED_VERSIONS,
    UnknownVersionError,
    Version,
    choose_version,
)
from gpu2ascend_rules.options.options import option_infos
from gpu2ascend_rules.options.specifiers import Clause, allowed_versions, parse_clauses
from gpu2ascend_rules.options.version_choice import neighbours, version_meant
from gpu2ascend_rules.targets.target import Target

from ..errors import SettingsError, VersionNotFoundError
from ..manifest.marker import MARKER_NAME, read_marker
from ..paths import is_file, shown
from ..regular_files import WRITTEN_BY_HAND, open_inside
from .settings import FILE_NAME, read_toml

_PATTERNS = ("requirements*.txt", "requirements/*.txt", "requirements*.in", "setup.cfg")
_CONDA_PATTERNS = ("environment*.yml", "environment*.yaml", "env*.yml", "conda*.yml", "conda*.yaml")

_REQUIREMENT = re.compile(
    r"^[\s\-\"']*(?:[\w-]+::)?(?:torch|pytorch)(?:\[[^\]]*\])?\s*\(?\s*"
    r"((?:===?|~=|!=|<=?|>=?|=)\s*\d[^;#\"')]*)"
)

_WHEEL = re.compile(
    r"^[\s\-\"']*(?:torch\s*(?:\[[^\]]*\])?\s*@\s*)?https?://\S*/torch-(\d[\d.]*)[^\s/-]*-[^\s/]*\.whl\b"
)
"""A wheel of torch by its address, whose name gives the release."""


class Detected(NamedTuple):
    """A version with what the user should know about how it was found."""

    version: Version
    notice: Message
    is_exact: bool = True
    """Whether the project names this version, rather than allows it among others."""


class _Asked(NamedTuple):
    """A condition on torch as a file spells it."""

    file: Path
    spelling: str


def detect_version(root: Path, hardware: Hardware) -> Detected:
    """The version that a project was migrated for, else the one that its requirement files name, else the
    newest for the hardware that they allow.

    Raises:
        VersionNotFoundError: they say nothing of torch, name several versions, or allow no supported one.
    """
    marker = read_marker(root)
    made = version_spelled(marker.torch) if marker is not None and marker.torch is not None else None
    if made is not None:
        return Detected(made, Message.of("project.version-of-marker", version=made, file=MARKER_NAME))
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
    allowed = _newest_allowed(asked, hardware)
    if allowed is not None and not answers:
        return _allowed(root, asked, allowed)
    raise VersionNotFoundError(_why_not(root, asked, answers))


def version_spelled(spelling: str) -> Version | None:
    """The supported version of a spelling; None where there is none."""
    try:
        return choose_version(spelling).version
    except UnknownVersionError:
        return None


def _newest_allowed(asked: list[_Asked], hardware: Hardware) -> Version | None:
    """The newest version for the hardware that satisfies all conditions."""
    clauses = (clause for item in asked for clause in parse_clauses(item.spelling))
    known = versions_on(hardware)
    allowed = [version for version in allowed_versions(clauses) if version in known]
    return allowed[-1] if asked and allowed else None


def _allowed(root: Path, asked: list[_Asked], version: Version) -> Detected:
    found, flag = _listed(root, asked), option_infos()["version"].name
    notice = Message.of("project.version-proposed", version=version, found=found, flag=flag)
    return Detected(version, notice, is_exact=False)


def version_for(target: Target, root: Path, hardware: Hardware) -> Detected:
    """The version to migrate a project for: the one that it asks for, else that of the target.

    Raises:
        VersionNotFoundError: it names none that the target can be chosen for, and the target has none itself.
    """
    default = target.default_version
    if default is None:
        return detect_version(root, hardware)
    try:
        found = detect_version(root, hardware)
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


def reports_version(target: Target) -> bool:
    """Whether the user should know which PyTorch version was taken: not where it says nothing of new text."""
    return target.version_option == "version"


def version_of_reading(target: Target, root: Path, hardware: Hardware) -> Detected:
    """The version to look at a project for, whatever its target: see :func:`version_to_read`."""
    is_of_target = target.default_version is not None
    return version_for(target, root, hardware) if is_of_target else version_to_read(root, hardware)


def version_to_read(root: Path, hardware: Hardware) -> Detected:
    """The version to read a project with: a look at it never fails for want of one.

    That is the one that :func:`detect_version` finds, else the newest that the project names, else the newest
    of all; of those that the hardware has releases for.
    """
    try:
        return detect_version(root, hardware)
    except VersionNotFoundError:
        asked = list(_conditions(root))
    clauses = [parse_clauses(item.spelling) for item in asked]
    known = versions_on(hardware)
    named = [version for condition in clauses for version in _versions_named(condition)]
    wanted = {
        "project.version-read-several": sorted(named),
        "project.version-read-unsatisfied" if asked else "project.version-newest": list(known),
    }
    usable = ((notice, [one for one in versions if one in known]) for notice, versions in wanted.items())
    notice, version = next((notice, versions[-1]) for notice, versions in usable if versions)
    flag = option_infos()["version"].name
    said = Message.of(notice, version=version, found=_listed(root, asked), flag=flag)
    return Detected(version, said, is_exact=False)


def version_notice(spelling: str) -> Message | None:
    """What to report to a user whose ``spelling`` chose a version that it does not name exactly.
    Raises UnknownVersionError: the spelling chooses no supported version."""
    choice = version_meant(spelling)
    if choice.exact:
        return None
    return Message.of("project.version-mapped", spelling=spelling.strip(), version=choice.version)


def against_requirements(root: Path, version: Version) -> Message | None:
    """A remark where the requirements of a project do not allow a version; they may allow
    none that is supported, and then nothing better could have been chosen."""
    asked = list(_conditions(root))
    allowed = allowed_versions(clause for item in asked for clause in parse_clauses(item.spelling))
    if not allowed or version in allowed:
        return None
    return Message.of("project.version-against", version=version, found=_listed(root, asked))


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
    around = _around_pin(asked)
    if around is not None:
        return Message.of("project.version-between", found=found, flag=flag, **around)
    newest = NEWEST
    if _is_ahead(asked):
        return Message.of("project.version-ahead", found=found, flag=flag, newest=newest)
    return Message.of("project.version-open", versions=known, found=found, flag=flag)


def _is_ahead(asked: Iterable[_Asked]) -> bool:
    """Whether a condition asks for a release that is newer than each that torch_npu has a build for."""
    clauses = [clause for item in asked for clause in parse_clauses(item.spelling)]
    releases = [clause.release for clause in clauses if clause.is_pin or clause.operator in (">", ">=", "~=")]
    return any(release[:2] >= NEWEST[:2] for release in releases)


def _around_pin(asked: Iterable[_Asked]) -> dict[str, Version] | None:
    """The supported versions before and after the one release that the conditions pin, if both exist."""
    pins = {clause.release for item in asked for clause in parse_clauses(item.spelling) if clause.is_pin}
    found = neighbours(".".join(map(str, pins.pop()))) if len(pins) == 1 else None
    if found is None or found.before is None or found.after is None:
        return None
    return {"before": found.before, "after": found.after}


def _listed(root: Path, asked: Iterable[_Asked]) -> str:
    """Conditions, each with its file."""
    return "; ".join(
        sorted({f"torch{item.spelling} ({shown(item.file.relative_to(root))})" for item in asked})
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
    match, wheel = _REQUIREMENT.match(text), _WHEEL.match(text)
    if match is not None:
        yield _Asked(path, match[1].strip())
    elif wheel is not None:
        yield _Asked(path, f"=={wheel[1]}")


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
