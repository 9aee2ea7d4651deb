"""What ``from torch.nn import *`` brings: the names that the support list of the version has there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from ..text.source_file import SourceFile
from . import Facts

_WORD = re.compile(rb"[A-Za-z]\w*")
_STAR_OF_TORCH = re.compile(rb"\btorch[\w.\s\\]*\bimport[\s\\]*\*")
_WITH_OWN_RULES = ("torch.cuda", "torch.npu", "torch.backends")
"""Modules whose star imports are rewritten as a whole."""


def names_brought(source: SourceFile, facts: Facts) -> Mapping[str, frozenset[str]]:
    """The names of a file that its star imports of PyTorch's modules may bring, by module."""
    if _STAR_OF_TORCH.search(source.data) is None:
        return {}
    modules = {
        module
        for module in source.names.star_imports
        if (module == "torch" or module.startswith("torch.")) and not module.startswith(_WITH_OWN_RULES)
    }
    if not modules:
        return {}
    words = {word.decode() for word in _WORD.findall(source.data)}
    return {module: _public_names(module, facts) & words for module in modules}


@lru_cache(maxsize=64)
def _public_names(module: str, facts: Facts) -> frozenset[str]:
    """The names right below a module that the version's list has."""
    start = len(module) + 1
    return frozenset(name[start:] for name in facts.listed_names(f"{module}.") if "." not in name[start:])
