"""The package of equivalents in a project: whether its place is free, and putting it there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from gpu2ascend_rules.hosting import home_of, is_ours, package_files, parts_of
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, option_name
from gpu2ascend_rules.targets.helpers import NPU

from ....texts.shell import shell_word
from ...errors import InputError, writing
from ...paths import exists, shown
from ...regular_files import read_inside
from ...report.added import added_outcome
from ...report.result import FileOutcome
from .replacing import put_file


def refuse_foreign_package(root: Path, options: MigrationOptions) -> None:
    """Stop before any work if the project has a package or module of the name that ours must have.
    Raises InputError: it has."""
    home = options.route.helpers
    if not (options.replace_unsupported or options.unsafe_fixes or home is not NPU):
        return
    for place in (root / home.package, root / f"{home.package}.py"):
        if exists(place) and not is_ours(written_text(place / f"{home.module}.py")):
            if home is not NPU:
                raise InputError(Message.of("project.helpers-taken", path=shown(place)))
            names = {"replacing": option_name("replace_unsupported"), "unsafe": option_name("unsafe_fixes")}
            raise InputError(Message.of("project.equivalents-taken", path=shown(place), **names))


def package_paths(parts: Collection[str], language: str) -> tuple[str, ...]:
    """What :func:`add_package` writes: the package's directory and its files."""
    package = home_of(parts).package
    return (package, *(f"{package}/{name}" for name in package_files(frozenset(parts), language)))


def add_package(directory: Path, parts: Collection[str], language: str) -> None:
    """Put the package of some parts into a project; what an earlier one there had stays in it.
    Raises OutputError: it cannot be written."""
    package = directory / home_of(parts).package
    with writing(package):
        package.mkdir(exist_ok=True)
        for name, text in _files(directory, parts, language).items():
            put_file(package / name, text.encode("utf-8"))


def package_outcomes(root: Path, parts: Collection[str], language: str) -> Iterator[FileOutcome]:
    """The files that :func:`add_package` would write into a project, with their diffs and nothing written."""
    package = home_of(parts).package
    for name, text in sorted(_files(root, parts, language).items()):
        path = f"{package}/{name}"
        before = written_text(root / path) if exists(root / path) else None
        if before != text:
            yield added_outcome(path, before, text)


def _files(directory: Path, parts: Collection[str], language: str) -> Mapping[str, str]:
    """The package's files by name: of the wanted parts, and of those that an earlier one there has."""
    home = home_of(parts)
    earlier = parts_of(written_text(directory / home.package / f"{home.module}.py"))
    return package_files(frozenset(parts) | earlier, language)


def path_instruction(directory: Path, parts: Collection[str]) -> Message:
    """What a user must do for the project's files to find the package of some parts."""
    package = home_of(parts).package
    return Message.of("project.equivalents-path", package=package, path=shell_word(directory))


def written_text(path: Path) -> str:
    """The text of a file of the package; empty where it cannot be read."""
    try:
        return read_inside(path.parent.parent, path).decode("utf-8", "replace")
    except OSError:
        return ""
