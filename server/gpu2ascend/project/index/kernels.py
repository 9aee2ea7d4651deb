"""CUDA kernels in C++ and CUDA sources: the functions that are declared ``__global__``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..files.discover import EntryKind, walk
from ..files.excludes import Excludes
from ..files.writing.copying import MAX_BYTES, UnreadableError, read_file
from ..paths import join

# Comments and literals first, so that what they hold is not taken for code.
_SKIPPED = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_ATTRIBUTE = re.compile(r"\b__\w+__\s*\((?:[^()]|\([^()]*\))*\)")
_KERNEL = re.compile(r"\b__global__\b((?:(?!__global__)[^;{}()]){0,2000}?)\b(\w+)\s*(?:<[^<>;{}()]*>\s*)?\(")


def kernel_names(text: str) -> tuple[str, ...]:
    """The names of the kernels that a source defines or declares, each once, in order.

    Found by pattern, without a preprocessor: a kernel whose name a macro builds is given by the macro's.
    """
    code = _ATTRIBUTE.sub(" ", _SKIPPED.sub(" ", text))
    return tuple(dict.fromkeys(match[2] for match in _KERNEL.finditer(code)))


class KernelFile(NamedTuple):
    """A C++ or CUDA source with kernels."""

    path: str
    """As reached from the directory that was given."""
    names: tuple[str, ...]


def kernels_below(
    directory: Path, exclude: Iterable[str], max_bytes: int = MAX_BYTES
) -> tuple[KernelFile, ...]:
    """The sources with kernels below a directory; those that cannot be read are passed over."""
    found: list[KernelFile] = []
    for entry in walk(directory, Excludes(tuple(exclude))):
        if entry.kind is EntryKind.KERNELS:
            try:
                data = read_file(join(str(directory), entry.path), max_bytes).data
            except UnreadableError:
                continue
            names = kernel_names(data.decode("utf-8", "replace"))
            if names:
                found.append(KernelFile(str(directory.joinpath(*entry.path.split("/"))), names))
    return tuple(found)
