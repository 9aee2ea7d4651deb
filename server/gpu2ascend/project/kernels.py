"""CUDA kernels in C++ and CUDA sources: the functions that are declared ``__global__``."""

from __future__ import annotations

import re

# Comments and literals first, so that what they hold is not taken for code.
_SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_ATTRIBUTE = re.compile(r"\b__\w+__\s*\((?:[^()]|\([^()]*\))*\)")
_KERNEL = re.compile(r"\b__global__\b([^;{}()]*?)(\w+)\s*(?:<[^<>;{}()]*>\s*)?\(")


def kernel_names(text: str) -> tuple[str, ...]:
    """The names of the kernels that a source defines or declares, each once, in order.

    Found by pattern, without a preprocessor: a kernel whose name a macro builds is given by the macro's.
    """
    code = _ATTRIBUTE.sub(" ", _SKIPPED.sub(" ", text))
    return tuple(dict.fromkeys(match[2] for match in _KERNEL.finditer(code)))
