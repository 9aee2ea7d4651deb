"""Which image of CANN takes the place of one for CUDA."""

from __future__ import annotations

from ...engine.places.context import PlaceContext
from ...facts.packages.pairs import pair_of
from ...model.hardware import Hardware

_CHIPS = {Hardware.A2: "910b", Hardware.A3: "a3"}
_SYSTEM = "ubuntu22.04-py3.11"


def suggested_image(ctx: PlaceContext) -> str:
    """An image of CANN, as its publisher names them: release, chip, system and Python."""
    chip = _CHIPS.get(ctx.options.hardware, "<chip>")
    cann = pair_of(ctx.version).cann.lower() or "<CANN>"
    return f"quay.io/ascend/cann:{cann}-{chip}-{_SYSTEM}"
