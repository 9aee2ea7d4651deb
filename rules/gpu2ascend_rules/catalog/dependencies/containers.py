"""How sure a change of what a file installs can be: it goes with the image and the index that it names."""

from __future__ import annotations

from ...engine.places.context import PlaceContext
from ...facts.packages.images import is_cuda_image
from ...kinds.dockerfile.places import BaseImage
from ...kinds.packages.places import Index
from ...model.finding import Applicability

_REPLACES = ("-i", "--index-url")


def surest_in(ctx: PlaceContext) -> Applicability:
    """How sure a change of what a file installs can be.

    A container for CUDA stays one until its image is chosen: one entry alone would leave it half migrated. An
    index in a variable, which replaces that of Python, need not have torch-npu.
    """
    return ctx.once("surest change", lambda: _surest(ctx))


def _surest(ctx: PlaceContext) -> Applicability:
    indexes = (place for place in ctx.file.places() if isinstance(place, Index))
    if any(index.flag in _REPLACES and "$" in index.url for index in indexes):
        return Applicability.UNSAFE
    if ctx.options.image is not None or BaseImage not in ctx.file.kind.places:
        return Applicability.SAFE
    images = (place for place in ctx.file.places() if isinstance(place, BaseImage))
    stays = any(is_cuda_image(image.name) for image in images)
    return Applicability.UNSAFE if stays else Applicability.SAFE
