"""What ``from torch.nn import *`` brings: the names that the support list of the version has there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from ...text.source_file import SourceFile
from .. import Facts

_WORD = re.compile(rb"[A-Za-z]\w*")
_STAR_OF_TORCH = re.compile(rb"\btorch[\w.\s\\]*\bimport[\s\\]*\*")
_CUDA = "torch.cuda"
_WITH_OWN_RULES = (_CUDA, "torch.npu", "torch.backends")
"""Modules whose star imports are rewritten as a whole."""
_TWINS = frozenset({_CUDA, "torch.npu", "torch_npu.npu"})
"""CUDA's module and what it becomes: only what the latter lacks is asked of them."""


def names_brought(source: SourceFile, facts: Facts) -> Mapping[str, frozenset[str]]:
    """The names of a file that its star imports of PyTorch's modules may bring, by module."""
    if _STAR_OF_TORCH.search(source.data) is None:
        return {}
    modules = {
        module
        for module in source.names.star_imports
        if f"{module}.".startswith("torch.") or module in _TWINS
    }
    words = {word.decode() for word in _WORD.findall(source.data)} if modules else set()
    brought = {}
    for module in modules:
        if module in _TWINS:
            brought[module] = frozenset(word for word in words if _is_lost(f"{_CUDA}.{word}", facts))
        elif not module.startswith(_WITH_OWN_RULES):
            brought[module] = _public_names(module, facts) & words
    return brought


def _is_lost(name: str, facts: Facts) -> bool:
    """Whether a star import of the NPU's module does not bring what that of CUDA's does under a name."""
    if not facts.is_known_cuda_name(name):
        return False
    counterpart = facts.npu_counterpart(name)
    return counterpart is None or counterpart.name != "torch_npu.npu" + name.removeprefix(_CUDA)


@lru_cache(maxsize=64)
def _public_names(module: str, facts: Facts) -> frozenset[str]:
    """The names right below a module that the version's list has."""
    start = len(module) + 1
    return frozenset(name[start:] for name in facts.listed_names(f"{module}.") if "." not in name[start:])
