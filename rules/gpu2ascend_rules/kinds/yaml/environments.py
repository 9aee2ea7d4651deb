"""The environments of conda: what they install, and what pip installs in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from ..packages.places import Index, InsertionPoint, Requirement, Style
from ..packages.requirement import CONDA_ENTRY, named_by, read_requirement
from .values import Value

_LIST = re.compile(rb"^dependencies[ \t]*:[ \t]*(?:#.*)?\r?$", re.M)
_HEAD = re.compile(rb"^(?:channels|name|prefix)[ \t]*:|^[ \t]*-[ \t]*(?:pip[ \t]*:|python[ \t]*[=<>])", re.M)
_INDEX = re.compile(
    r"(?P<flag>-i|-f|--index-url|--extra-index-url|--find-links)(?:[ \t]*=[ \t]*|[ \t]+)(?P<url>\S+)$"
)
_IN_PIP = ("dependencies", "[]", "pip", "[]")


def is_environment(data: bytes) -> bool:
    """Whether the keys at the top, or Python or a list of pip's among the entries, are an environment's."""
    if b"dependencies" not in data:
        return False
    return _LIST.search(data) is not None and _HEAD.search(data) is not None


def requirements_of(data: bytes, values: Sequence[Value]) -> Iterator[Requirement | Index]:
    """Every place of an environment, in the order of the text."""
    sizes = Counter(value.keys for value in values)
    for value in values:
        if value.keys == ("dependencies", "[]"):
            match = CONDA_ENTRY.match(value.text)
            if match is not None:
                yield _of_conda(data, value, match, sizes[value.keys] > 1)
        elif value.keys == _IN_PIP:
            yield from _of_pip(data, value, sizes[value.keys] > 1)


def _of_conda(data: bytes, value: Value, match: re.Match[str], has_others: bool) -> Requirement:
    line = _line(data, value.item) if has_others else None
    return named_by(match, value.start, value.end, Style.CONDA)._replace(line=line)


def _of_pip(data: bytes, value: Value, has_others: bool) -> Iterator[Requirement | Index]:
    index = _INDEX.match(value.text)
    if index is not None:
        start = value.start + index.start("url")
        yield Index(start, value.start + index.end("url"), index["url"], index["flag"], value.start)
        return
    written = read_requirement(value.text, value.start)
    if written is None:
        return
    line = _line(data, value.item)
    yield written._replace(
        end=value.end,
        line=line if has_others else None,
        insertion=_insertion_point(data, value),
        is_plain=not written.is_url and not written.marker,
    )


def _line(data: bytes, item: Node | None) -> tuple[int, int] | None:
    """From the dash of an item to the end of its line, where it fills the line alone."""
    if item is None or item.type != "block_sequence_item":
        return None
    start, end = item.start_byte, item.end_byte
    first = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
    rest = re.compile(rb"[ \t]*(?:#[^\r\n]*)?(?=[\r\n]|$)").match(data, end)
    if data[first:start].strip() or rest is None or b"\n" in data[start:end]:
        return None
    return start, rest.end()


def _insertion_point(data: bytes, value: Value) -> InsertionPoint | None:
    line = _line(data, value.item)
    if line is None:
        return None
    first = max(data.rfind(b"\n", 0, line[0]), data.rfind(b"\r", 0, line[0])) + 1
    newline = "\r\n" if b"\r\n" in data else "\n"
    before = newline + data[first : value.start].decode()
    quote = before[-1] if before[-1] in "'\"" else ""
    return InsertionPoint(line[1], before, quote)
