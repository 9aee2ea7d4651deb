"""By which Python names the functions of C++ sources are called, and which of them reach a kernel."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from .cpp_text import CppFunction

_DEFINED = re.compile(
    r'\.\s*(?:def|impl|op)\s*\(\s*"(?P<name>[^"(]+)[^"]*"\s*,\s*(?:TORCH_FN\s*\(\s*|torch::wrap_\w+\s*\(\s*)?'
    r"&?\s*(?P<function>[\w:]+)"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_GENERIC = frozenset({"forward", "backward", "apply", "operator", "main", "launch", "run", "call"})
"""Names that many functions have: who mentions one need not mean this one."""
_DEPTH = 6


def bound_names(text: str) -> dict[str, set[str]]:
    """The Python names that a source gives functions (pybind11, TORCH_LIBRARY), by the function's name."""
    found: dict[str, set[str]] = defaultdict(set)
    for match in _DEFINED.finditer(_COMMENT.sub(" ", text)):
        found[match["function"].rpartition("::")[2]].add(match["name"].rpartition("::")[2].strip())
    return found


class HostCode:
    """The functions of a project's C++ and CUDA sources: who mentions whom."""

    def __init__(self) -> None:
        self._mentions: dict[str, set[str]] = defaultdict(set)
        self._bound: dict[str, set[str]] = defaultdict(set)

    def add(self, functions: Iterable[CppFunction], bound: dict[str, set[str]]) -> None:
        """The functions of a file, and what it binds."""
        for function in functions:
            for word in set(_WORD.findall(function.body)):
                self._mentions[word].add(function.name)
        for name, python in bound.items():
            self._bound[name] |= python

    def python_names(self, kernel: str) -> frozenset[str]:
        """The Python names of the functions that come to a kernel."""
        seen, level, found = {kernel}, {kernel}, set(self._bound.get(kernel, ()))
        for _ in range(_DEPTH):
            specific = level - _GENERIC
            level = {above for name in specific for above in self._mentions.get(name, ())} - seen
            if not level:
                break
            seen |= level
            for name in level:
                found |= self._bound.get(name, set())
        return frozenset(found)
