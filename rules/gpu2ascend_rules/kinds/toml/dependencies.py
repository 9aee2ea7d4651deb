"""The dependencies that pyproject.toml and Pipfile list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...limits.parents import parent_of
from ..packages.places import Index, InsertionPoint, Requirement, Style
from ..packages.requirement import read_requirement
from .values import Value

_REST = re.compile(rb"[ \t]*(?P<comma>,)?[ \t]*(?P<comment>#[^\r\n]*)?(?=\r|\n|$)")
_EXTRAS = ("project", "optional-dependencies")
_LINE_END = re.compile(rb"\r\n|\r|\n")


def dependencies_of(
    data: bytes, values: Sequence[Value], *, is_pipfile: bool
) -> Iterator[Requirement | Index]:
    """Every place of a list of dependencies, in the order of the text."""
    for value in values:
        if value.keys[-1] == "url" and any(key in ("source", "sources", "index") for key in value.keys):
            yield Index(value.start, value.end, value.text)
        elif not is_pipfile and _is_list_item(value.keys):
            requirement = _item(data, value)
            if requirement is not None:
                yield requirement
        elif _is_table_entry(value.keys, is_pipfile):
            yield _entry(data, value, Style.PIPFILE if is_pipfile else Style.POETRY)


def _is_list_item(keys: tuple[str, ...]) -> bool:
    """Of the lists that are installed to run the project; what builds it is installed apart."""
    listed = keys[:-1]
    if keys[-1] != "[]" or not listed:
        return False
    if listed[:3] == ("tool", "hatch", "envs"):
        return "dependencies" in listed[-1]
    return (
        listed in (("project", "dependencies"), ("tool", "uv", "dev-dependencies"))
        or listed[:2] == _EXTRAS
        or listed[:3] == ("tool", "pdm", "dev-dependencies")
        or listed[0] == "dependency-groups"
    )


def _is_table_entry(keys: tuple[str, ...], is_pipfile: bool) -> bool:
    """Of ``name = "1.0"`` and ``name = {version = "1.0"}``."""
    head = keys[:-2] if keys[-1] == "version" and _is_dependencies(keys[:-2], is_pipfile) else keys[:-1]
    return _is_dependencies(head, is_pipfile)


def _is_dependencies(keys: tuple[str, ...], is_pipfile: bool) -> bool:
    if is_pipfile:
        return keys in (("packages",), ("dev-packages",))
    if keys[:2] != ("tool", "poetry"):
        return False
    rest = keys[2:]
    return rest in (("dependencies",), ("dev-dependencies",)) or (
        len(rest) == 3 and rest[0] == "group" and rest[2] == "dependencies"
    )


def _item(data: bytes, value: Value) -> Requirement | None:
    written = read_requirement(value.text, value.start)
    if written is None:
        return None
    return written._replace(
        end=value.end,
        line=_own_line(data, value.node.start_byte, value.node.end_byte),
        insertion=_insertion_point(data, value),
        is_plain=not written.is_url and "'" not in written.marker,
        is_optional=value.keys[:2] == _EXTRAS,
    )


def _own_line(data: bytes, start: int, end: int) -> tuple[int, int] | None:
    """The rest of the line where nothing else is on it."""
    first = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
    rest = _REST.match(data, end)
    if data[first:start].strip() or rest is None:
        return None
    return start, rest.end()


def _insertion_point(data: bytes, value: Value) -> InsertionPoint:
    """Behind an item of an array: on a line like its own, or in the same one."""
    start, end = value.node.start_byte, value.node.end_byte
    quote = data[start : start + 1].decode()
    line = _own_line(data, start, end)
    if line is None:
        return InsertionPoint(end, f", {quote}", quote)
    first = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
    newline = _LINE_END.search(data)
    margin = (newline[0] if newline is not None else b"\n").decode() + data[first:start].decode()
    rest = _REST.match(data, end)
    if rest is not None and rest["comma"]:
        return InsertionPoint(line[1], margin + quote, f"{quote},")
    return InsertionPoint(end, f",{margin}{quote}", quote)


def _entry(data: bytes, value: Value, style: Style) -> Requirement:
    from packaging.utils import canonicalize_name

    is_table = value.keys[-1] == "version"
    name = value.keys[-2] if is_table else value.keys[-1]
    pair = parent_of(value.node)
    start = pair.start_byte if pair is not None and not is_table else value.start
    line = _own_line(data, start, value.node.end_byte) if not is_table else None
    insertion = None
    if line is not None:
        first = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
        newline = _LINE_END.search(data)
        margin = (newline[0] if newline is not None else b"\n").decode() + data[first:start].decode()
        insertion = InsertionPoint(line[1], margin, "")
    end, name_end = value.node.end_byte if not is_table else value.end, start + len(name.encode())
    at = (value.start, value.end)
    return Requirement(
        start, end, canonicalize_name(name), name_end, (), value.text, at,
        style=style, line=line, insertion=insertion, is_plain=not is_table,
    )  # fmt: skip
