"""What a container installs goes with the image that it begins with."""

from __future__ import annotations

from ...engine.places.context import PlaceContext
from ...facts.packages.images import is_cuda_image
from ...kinds.dockerfile.places import BaseImage
from ...model.finding import Applicability


def surest_in(ctx: PlaceContext) -> Applicability:
    """How sure a change of what a file installs can be.

    A container for CUDA stays one until its image is chosen: one entry alone would leave it half migrated.
    """
    return ctx.once("surest change", lambda: _surest(ctx))


def _surest(ctx: PlaceContext) -> Applicability:
    if ctx.options.image is not None or BaseImage not in ctx.file.kind.places:
        return Applicability.SAFE
    images = (place for place in ctx.file.places() if isinstance(place, BaseImage))
    stays = any(is_cuda_image(image.name) for image in images)
    return Applicability.UNSAFE if stays else Applicability.SAFE
