"""Where a project's list wants packages from, other than by name from the user's index.

An address, a path, an index or an option of pip decides whose code is installed, and installing runs it. So
none of them reaches pip unless the user allows it; and a package that the project takes from such a place is
not taken by its name from an index instead, where anybody may have registered the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as Parsed
from packaging.utils import canonicalize_name

from gpu2ascend_rules.kinds.packages.places import Requirement
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.toml import TomlFile
from gpu2ascend_rules.kinds.toml import values as toml_values
from gpu2ascend_rules.kinds.yaml import YamlFile
from gpu2ascend_rules.kinds.yaml import values as yaml_values

from ...project.paths import is_directory, is_file, resolved

LINES = (".txt", ".in")
"""Lists for pip, one entry a line; one that another names may have any name before that."""
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_BEHIND = re.compile(r"\s+--?[a-z][a-z-]*(?:[=\s].*)?$", re.DOTALL)
"""Options of one requirement, such as its hashes."""
_OPTION = re.compile(r"(?P<flag>--[a-z-]+|-[a-zA-Z])(?:\s*=\s*|\s*)(?P<value>\S.*)?$", re.DOTALL)
_EDITABLE = ("-e", "--editable")
_NESTED = ("-r", "--requirement")
_INDEXES = {
    "-i": "--index-url",
    "--index-url": "--index-url",
    "--extra-index-url": "--extra-index-url",
    "-f": "--find-links",
    "--find-links": "--find-links",
}
_WEB = re.compile(r"https?://\S+")
_ADDRESS = re.compile(r"(?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh|git)://\S+")
_PATH = re.compile(r"(?P<path>\.{0,2}/?[^\[\s][^\[]*?)(?P<extras>\[[\w.,\s-]*\])?")
_WITHOUT_INDEX = ("git", "hg", "svn", "path", "file", "url", "editable")
_TABLES = (("packages",), ("dev-packages",), ("tool", "poetry", "dependencies"), ("tool", "uv", "sources"))
_PIP_OF_CONDA = ("dependencies", "[]", "pip", "[]")


class Source(NamedTuple):
    """A place that packages come from, or anything else in a list that is no name with versions."""

    written: str
    """As the project has it."""
    name: str | None = None
    """The package that it is for, as package indexes compare names."""
    item: str | None = None
    """What is to be installed, as pip takes it behind ``--``."""
    option: str | None = None
    """An option of pip in one word, with its value."""
    nested: Path | None = None
    """Another list, inside the project."""

    @property
    def can_be_used(self) -> bool:
        """Whether there is anything for pip in it, if the user allows that."""
        return (self.item or self.option or self.nested) is not None


def sources_in(project: Path, name: str, text: str) -> Iterator[Source]:
    """Those of one of a project's lists.

    Args:
        name: The file's, relative to the project; its ending decides how it is read.
    """
    if name.endswith(LINES):
        yield from _of_lines(project, Path(name).parent, text.replace("\\\n", " ").splitlines())
        return
    file = kind_file(name, text)
    if isinstance(file, TomlFile):
        yield from _of_tables(project, list(toml_values.values_of(file.tree.root_node)))
    elif isinstance(file, YamlFile):
        found = yaml_values.values_of(file.tree.root_node)
        lines = [value.text for value in found if value.keys == _PIP_OF_CONDA]
        yield from _of_lines(project, Path(), lines)
    elif file is not None:
        data = text.encode()
        for place in file.places():
            if isinstance(place, Requirement) and place.is_url:
                yield _entry(project, Path(), data[place.start : place.end].decode())


def checked_name(specifier: str) -> str | None:
    """A name with extras, versions and a condition, as PEP 508 writes it; None for anything else."""
    try:
        parsed = Parsed(specifier)
    except InvalidRequirement:
        return None
    return str(parsed) if parsed.url is None else None


def _of_lines(project: Path, folder: Path, lines: list[str]) -> Iterator[Source]:
    for raw in lines:
        line = _COMMENT.sub("", raw).strip()
        if line.startswith("-"):
            yield _option(project, folder, line)
        elif line and checked_name(entry := _BEHIND.sub("", line)) is None:
            yield _entry(project, folder, entry)


def _option(project: Path, folder: Path, line: str) -> Source:
    match = _OPTION.match(line)
    flag, value = (match["flag"], (match["value"] or "").strip()) if match is not None else ("", "")
    if flag in _EDITABLE and value:
        return _place(project, folder, line, value)
    if flag in _NESTED and value:
        return Source(line, nested=_inside(project, folder / value))
    if flag in _INDEXES and _WEB.fullmatch(value):
        return Source(line, option=f"{_INDEXES[flag]}={value}")
    return Source(line)


def _entry(project: Path, folder: Path, entry: str) -> Source:
    try:
        parsed = Parsed(entry)
    except InvalidRequirement:
        return _place(project, folder, entry, entry)
    return _at_address(entry, parsed)


def _at_address(written: str, parsed: Parsed) -> Source:
    is_address = _ADDRESS.fullmatch(parsed.url or "") is not None
    return Source(written, canonicalize_name(parsed.name), str(parsed) if is_address else None)


def _place(project: Path, folder: Path, written: str, value: str) -> Source:
    """An address, or a path inside the project."""
    if _ADDRESS.fullmatch(value):
        return Source(written, item=value)
    match = _PATH.fullmatch(value)
    path = _inside(project, folder / match["path"]) if match is not None and "://" not in value else None
    if match is None or path is None:
        return Source(written)
    return Source(written, item=f"{path}{match['extras'] or ''}")


def _inside(project: Path, path: Path) -> Path | None:
    """A path without links that exists inside the project; None for another."""
    if "\0" in str(path):
        return None
    found = resolved(project / path)
    is_there = is_file(found) or is_directory(found)
    return found if is_there and found.is_relative_to(resolved(project)) else None


def _of_tables(project: Path, values: list[toml_values.Value]) -> Iterator[Source]:
    texts = {value.keys: value.text for value in values}
    for value in values:
        keys, text = value.keys, value.text
        if keys[-1] in _WITHOUT_INDEX and tuple(key for key in keys if key != "[]")[:-2] in _TABLES:
            yield _of_table(project, keys, texts)
        elif keys[-1] == "url" and any(key in ("source", "sources", "index") for key in keys[:-1]):
            written = f"{keys[-2]}: {text}"
            yield Source(written, option=f"--extra-index-url={text}" if _WEB.fullmatch(text) else None)
        elif keys[-1] == "[]" and keys[:-1] == ("project", "dependencies") and checked_name(text) is None:
            yield _entry(project, Path(), text)


def _of_table(project: Path, keys: tuple[str, ...], texts: dict[tuple[str, ...], str]) -> Source:
    """A package with the place that its table names."""
    name, kind, value = next(key for key in reversed(keys[:-1]) if key != "[]"), keys[-1], texts[keys]
    written = f"{name} = {{{kind} = {value!r}}}"
    if kind in ("path", "file", "editable") and "://" not in value:
        return _place(project, Path(), written, value)._replace(name=canonicalize_name(name))
    prefix = f"{kind}+" if kind in ("git", "hg", "svn") and not value.startswith(f"{kind}+") else ""
    revision = next(
        (found for key in ("rev", "tag", "branch", "ref") if (found := texts.get((*keys[:-1], key)))), ""
    )
    try:
        parsed = Parsed(f"{name} @ {prefix}{value}{'@' if revision else ''}{revision}")
    except InvalidRequirement:
        return Source(written, canonicalize_name(name))
    return _at_address(written, parsed)
