"""What a value of a configuration is: by the code that reads it, and by the library whose key it has."""

from __future__ import annotations

from ...data import load_tsv
from ...engine.places.context import PlaceContext
from ...kinds.settings.places import Setting


def is_read_as(subject: str, place: Setting, ctx: PlaceContext) -> bool:
    """Whether code of the project makes a device, or chooses a back end, of the value of such a key."""
    return f"{subject}:{place.key}" in ctx.project.read_settings


def is_known_as(subject: str, place: Setting, ctx: PlaceContext) -> bool:
    """Whether a library's table of keys says so."""
    names = [key for key in place.keys if key != "[]"]
    for row in load_tsv("setting_schemas"):
        keys = row["keys"].split(".")
        if row["subject"] == subject and names[-len(keys) :] == keys:
            beside = row["beside"]
            if not beside or beside in _keys_at_top(ctx):
                return True
    return False


def is_foreign_place(ctx: PlaceContext) -> bool:
    """Whether most code near the file works with another framework than torch."""
    return ctx.project.main_framework(ctx.file.path) not in ("", "torch")


def _keys_at_top(ctx: PlaceContext) -> frozenset[str]:
    def keys() -> frozenset[str]:
        return frozenset(
            place.keys[0] for place in ctx.file.places() if isinstance(place, Setting) and place.keys
        )

    return ctx.once("keys at the top", keys)
