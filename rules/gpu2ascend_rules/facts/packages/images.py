"""Which images of containers are made for CUDA."""

from __future__ import annotations

import re

_CUDA = re.compile(
    r"(?:^|/)nvidia/(?:cuda|cudagl|opengl|pytorch|nemo|tensorrt)\b|(?:^|/)(?:dustynv/|l4t-)|(?<![a-z])cuda\d*|[:._-]cu\d{2,3}\b",
    re.IGNORECASE,
)
WORDS = ("cuda", "nvidia", "nvcr.io", "cu1", "l4t-", "dustynv")
"""One of which is in the name of such an image."""
_ANOTHER = re.compile(r"tensorflow|paddle|mxnet|jax|triton|rapids|dcgm|/k8s/|driver|kaldi", re.IGNORECASE)


def is_cuda_image(name: str) -> bool:
    """Whether an image holds CUDA for PyTorch; those of other programs are not judged."""
    return _CUDA.search(name) is not None and _ANOTHER.search(name) is None
