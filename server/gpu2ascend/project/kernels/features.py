"""What kernels are made of, by the words of their code."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .cpp_text import CppFunction

_CUDA = {
    "shared_memory": r"\b__shared__\b",
    "synchronisation": r"\b__syncthreads\w*\b",
    "warp": r"\b__(?:shfl|ballot|any_sync|all_sync|match|reduce\w*_sync|syncwarp|activemask)\w*"
    r"|\b(?:WARP_)?SHFL_\w+|\bcooperative_groups\b|\bcg::",
    "atomics": r"\b(?:gpu|fast)?[aA]tom(?:ic)?(?:Add|Sub|Max|Min|CAS|Exch|And|Or|Xor|Inc|Mul)\w*",
    "tensor_cores": r"\bwmma\b|\bnvcuda::|\bmma_sync\b|\bmma\.sync\b|\bcutlass::|\bcute::|\bTiledMma\b",
    "cub": r"\bcub::|\bthrust::",
    "libraries": r"\b(?:cublas|cudnn|cufft|cusparse|curand|cusolver)\w*",
    "runtime": r"\bcuda(?:Graph|Malloc|MemcpyPeer|LaunchCooperative)\w*|\btex[123]D\b|\btexture<|<<<",
    "assembly": r"\basm\b(?:\s+volatile)?\s*\(",
    "double": r"\bdouble\b",
}
_TRITON = {
    "dot": r"\btl\.dot(?:_scaled)?\b",
    "atomics": r"\btl\.atomic_\w+",
    "inline_assembly": r"\binline_asm_elementwise\b",
    "libdevice": r"\blibdevice\b|\btl\.extra\b|\btl\.math\.\w+_rn\b",
    "tensor_descriptor": r"\bmake_tensor_descriptor\b|\b_experimental_descriptor_\w+",
    "block_pointer": r"\bmake_block_ptr\b",
    "reduction": r"\btl\.(?:sum|max|min|argmax|argmin|reduce|cumsum|sort|associative_scan)\b",
    "wide_types": r"\btl\.(?:float8\w*|float64|fp64)\b",
}
_CUDA_FORMS = {name: re.compile(form) for name, form in _CUDA.items()}
_TRITON_FORMS = {name: re.compile(form) for name, form in _TRITON.items()}
_WORD = re.compile(r"\b[A-Za-z_]\w*(?=\s*(?:<[^<>;{}()]*>\s*)?\()")
_DEPTH = 3


def features_of_kernel(kernel: CppFunction, helpers: Mapping[str, str]) -> tuple[str, ...]:
    """The features of a kernel and of the functions that it calls, of those whose code is given by name."""
    seen, bodies, level = {kernel.name}, [kernel.body], [kernel.body]
    for _ in range(_DEPTH):
        called = {word for body in level for word in _WORD.findall(body)} - seen
        level = [helpers[word] for word in sorted(called) if word in helpers]
        seen |= called
        bodies += level
    text = "\n".join(bodies)
    return tuple(name for name, form in _CUDA_FORMS.items() if form.search(text))


def features_of_triton(code: str, decorators: str) -> tuple[str, ...]:
    """The features of a Triton kernel."""
    found = [name for name, form in _TRITON_FORMS.items() if form.search(code)]
    return (*found, "autotune") if "autotune" in decorators else tuple(found)
