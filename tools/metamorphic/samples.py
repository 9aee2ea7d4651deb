"""The programs that are refactored: the examples of the rules that the program's decisions are asked by."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.engine.registry import rule_by_code
from gpu2ascend_rules.flow.names.files import has_words
from gpu2ascend_rules.options.options import MigrationOptions, options_from

_RULES = ("NPU201", "NPU202", "NPU203", "NPU212", "NPU401", "NPU402")

_MOST_BYTES = 60_000
_VERSION = "2.8.0"
"""Older versions have rules of their own for literals in some calls."""


class Sample(NamedTuple):
    """A program of one file."""

    name: str
    text: str
    options: MigrationOptions


def samples() -> Iterator[Sample]:
    """Each example of the rules that is a whole module."""
    for code in _RULES:
        rule = rule_by_code(code)
        for number, example in enumerate(rule.examples if rule is not None else ()):
            if not example.path and example.version == _VERSION and _is_module(example.before):
                options = options_from({"version": example.version, **dict(example.settings)})
                yield Sample(f"{code}-{number}", example.before, options)


def modules_below(folder: Path, count: int, seed: int) -> Iterator[Sample]:
    """Some of the modules with words below a folder, each taken for a program of its own."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        if len(data) < _MOST_BYTES and has_words(data):
            found.append(path)
    options = options_from({"version": _VERSION})
    for path in random.Random(seed).sample(found, min(count, len(found))):
        text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
        if _is_module(text):
            yield Sample(path.relative_to(folder).as_posix(), text, options)


def _is_module(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
