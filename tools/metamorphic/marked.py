"""Words with numbers, so that each is found again in whatever file a refactoring puts it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

_FIRST = 0xE000
"""The first of 6,400 characters for private use, of which a program has none."""
_MARK = re.compile("[\ue000-\uf8ff]")
_WORD = re.compile(r"cuda(?![a-z_])|nccl|NCCL")

Files = dict[str, str]
"""Texts by path."""


class Place(NamedTuple):
    """Where a word stands: the bytes of its string literal, quotes included."""

    path: str
    start: int
    end: int


def with_marks(text: str) -> str:
    """A module with a mark in each string literal that is a word."""
    spans = [(start, end) for start, end, value in strings_of(text) if _WORD.match(value)]
    for number, (start, end) in reversed(list(enumerate(sorted(spans)))):
        literal = text[start:end]
        at = start + len(literal) - len(literal.lstrip("rRuUbBfF")) + 1
        text = f"{text[:at]}{chr(_FIRST + number)}{text[at:]}"
    return text


def strings_of(text: str) -> list[tuple[int, int, str]]:
    """The string literals in one line of a module: where they begin and end, and their values."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if node.lineno != node.end_lineno or node.end_col_offset is None:
            continue
        data = lines[node.lineno - 1].encode()
        start = starts[node.lineno - 1] + len(data[: node.col_offset].decode())
        end = starts[node.lineno - 1] + len(data[: node.end_col_offset].decode())
        if re.fullmatch(r"(['\"])(?:(?!\1).)*\1", text[start:end]):
            found.append((start, end, node.value))
    return found


def places(files: Mapping[str, str]) -> tuple[Files, dict[int, list[Place]]]:
    """The texts without marks, and where each marked word stands."""
    plain: Files = {}
    found: dict[int, list[Place]] = {}
    for path, text in files.items():
        plain[path] = _MARK.sub("", text)
        for match in _MARK.finditer(text):
            start = len(_MARK.sub("", text[: match.start() - 1]).encode())
            quote = text[match.start() - 1]
            end = text.index(quote, match.start())
            number = ord(match[0]) - _FIRST
            found.setdefault(number, []).append(
                Place(path, start, len(_MARK.sub("", text[: end + 1]).encode()))
            )
    return plain, found


def number_in(literal: str) -> int | None:
    """The number of the word that a value is."""
    match = _MARK.search(literal)
    return ord(match[0]) - _FIRST if match is not None else None
