"""Which methods of tensors the classes of a project have as well, for targets that ask what is a tensor.

A value of which a method is called has that method. Where nothing that a file can hold has it but tensors,
the value is a tensor.
"""

from __future__ import annotations

import re

ONLY_OF_TENSORS = frozenset(
    {
        "addmm", "amax", "amin", "backward", "baddbmm", "bmm", "chunk", "clamp", "clamp_max",
        "clamp_min", "contiguous", "cumsum_", "detach", "dim", "erf", "exp", "expand", "expand_as",
        "expm1", "gather", "index_add", "index_fill", "index_select", "log1p", "log2",
        "log_softmax", "logsumexp", "long", "masked_fill", "masked_scatter", "masked_select",
        "matmul", "mm", "movedim", "narrow", "nelement", "new_empty", "new_full", "new_ones",
        "new_tensor", "new_zeros", "numel", "numpy", "permute", "pow", "reciprocal", "repeat_interleave",
        "requires_grad_", "reshape_as", "rsqrt", "scatter", "scatter_add", "sin", "cos", "size",
        "softmax", "sqrt", "topk", "tril", "triu", "type_as", "unbind", "unflatten", "unsqueeze",
        "view_as",
    }
)  # fmt: skip
"""Methods that no object of Python itself, and no array of NumPy, has; ``size`` is an attribute there."""
OF_ARRAYS = frozenset(
    {
        "all", "any", "argmax", "argmin", "cumprod", "cumsum", "max", "mean", "min", "prod", "std",
        "sum", "var",
    }
)  # fmt: skip
"""Methods of NumPy's arrays too, which call the dimension ``axis``."""
OF_POSITIONS = frozenset({"repeat", "t", "transpose", "view"})
"""Methods of which the positions tell a tensor from an array."""
GIVES_ARRAYS = "forward"
"""Stands for a module of which the output may be an array of NumPy."""

_ASKED = ONLY_OF_TENSORS | OF_ARRAYS | OF_POSITIONS
_METHOD = re.compile(rb"def[ \t]+(\w+)[ \t]*\(\s*self\b")
_FORWARD = re.compile(rb"^([ \t]+)def[ \t]+forward\b.*(?:\n(?:\1[ \t)].*|[ \t]*))*", re.MULTILINE)
_NUMPY = re.compile(rb"n(?<!\wn)(?:p|umpy)\b")


def tensor_like(data: bytes) -> tuple[str, ...]:
    """The methods of tensors that the classes of a file define, torch modules too, sorted.

    With :data:`GIVES_ARRAYS` where NumPy is used in the ``forward`` of a module.
    """
    found = {name.decode("utf-8", "replace") for name in _METHOD.findall(data)} & _ASKED
    may_use_numpy = b"forward" in data and _NUMPY.search(data) is not None
    if may_use_numpy and any(_NUMPY.search(one[0]) for one in _FORWARD.finditer(data)):
        found.add(GIVES_ARRAYS)
    return tuple(sorted(found))
