"""What settings of a configuration ask a trainer of Lightning for."""

from __future__ import annotations

from ...engine.places.context import PlaceContext
from ...kinds.settings import Setting
from ..subjects.accelerators import TRAINERS
from .schemas import is_known_as, is_read_by_key


def asks_lightning_for_gpus(place: Setting, ctx: PlaceContext) -> bool:
    """Whether a setting is the accelerator of a trainer of Lightning, and names GPUs."""
    if place.value not in ("gpu", "cuda") or is_of_own_class(place, ctx):
        return False
    return is_known_as("lightning", place, ctx) or is_read_by_key("accelerator", place, ctx)


def is_of_own_class(place: Setting, ctx: PlaceContext) -> bool:
    """Whether a setting is given a class other than Lightning's trainers."""
    places = (item for item in ctx.file.places() if isinstance(item, Setting))
    siblings = (item for item in places if (*item.keys[:-1], place.key) == place.keys)
    return any(item.key == "_target_" and item.value not in TRAINERS for item in siblings)
