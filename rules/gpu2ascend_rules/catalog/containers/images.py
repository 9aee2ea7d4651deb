"""Which images are made for CUDA, and which of CANN takes their place."""

from __future__ import annotations

import re

from ...engine.places.context import PlaceContext
from ...facts.packages.pairs import pair_of
from ...model.hardware import Hardware

_CUDA = re.compile(
    r"(?:^|/)nvidia/(?:cuda|cudagl|opengl|pytorch|nemo)\b|(?<![a-z])cuda\d*|[:._-]cu\d{2,3}\b",
    re.IGNORECASE,
)
_ANOTHER = re.compile(r"tensorflow|paddle|mxnet|jax|triton|rapids|dcgm|/k8s/|driver|kaldi", re.IGNORECASE)
_CHIPS = {Hardware.A2: "910b", Hardware.A3: "a3"}
_SYSTEM = "ubuntu22.04-py3.11"


def is_cuda_image(name: str) -> bool:
    """Whether an image holds CUDA for PyTorch; those of other programs are not judged."""
    return _CUDA.search(name) is not None and _ANOTHER.search(name) is None


def suggested_image(ctx: PlaceContext) -> str:
    """An image of CANN, as its publisher names them: release, chip, system and Python."""
    chip = _CHIPS.get(ctx.options.hardware, "<chip>")
    cann = pair_of(ctx.version).cann.lower() or "<CANN>"
    return f"quay.io/ascend/cann:{cann}-{chip}-{_SYSTEM}"
