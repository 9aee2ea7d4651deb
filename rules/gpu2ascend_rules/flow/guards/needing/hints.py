"""Whether a file may need CUDA, by its bytes alone: the question that is put to each file of a project."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from ....facts.packages.third_party import cuda_modules, is_absent_on_npu
from ....inference.extensions.setup_scripts import ANY
from ....text.plain.words import words_in
from .own_code import CUDNN_OPERATOR

_HINTS: Mapping[bytes, tuple[bytes, ...]] = {
    b"cuda": (b"_cuda", b"cuda_", b"pycuda", b"tinycudann"),
    b".cu": (b".cu'", b'.cu"', b".cuh"),
    b"_C": (b"import _C", b" as _C", b"._C"),
    **{
        hint: (hint,)
        for hint in (
            b"CUDAExtension", b"load_library", b"triton", b"cupy", b"flash_attn", b"xformers", b"apex",
            b"spconv", b"torch_scatter", b"nvdiffrast", b"mamba_ssm", b"causal_conv1d", b"_ext",
            b"torch.ops.", b"torch.utils.ffi", CUDNN_OPERATOR,
        )
    },
}  # fmt: skip
"""Of which a file has one that uses an extension, a kernel or a library of CUDA, by a part of several."""
_IMPORTS_CUDA = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?!torch\b)[^\n]*cuda", re.M | re.I)


def may_need_cuda(python: bytes) -> bool:
    """Whether a file may use a CUDA extension, a kernel or a library of CUDA, by its bytes."""
    return any(part in python and any(hint in python for hint in hints) for part, hints in _HINTS.items())


def may_need_by_itself(python: bytes, extensions: Collection[str]) -> bool:
    """Whether a file may need CUDA by what is not imported from its project, by its bytes.

    Args:
        extensions: The last parts of the names of modules that the project compiles for CUDA.
    """
    return may_need_cuda(python) or may_need_without_hint(python, extensions)


def may_need_without_hint(python: bytes, extensions: Collection[str]) -> bool:
    """The same for a file of which :func:`may_need_cuda` does not hold."""
    if b"numba" in python or _IMPORTS_CUDA.search(python):
        return True
    if any(ANY in name or name.encode() in python for name in extensions):
        return True
    return not _absent_modules().isdisjoint(words_in(python))


@cache
def _absent_modules() -> frozenset[bytes]:
    """The packages that run on CUDA only, or have modules that do."""
    return frozenset(name.partition(".")[0].encode() for name in cuda_modules() if is_absent_on_npu(name))
