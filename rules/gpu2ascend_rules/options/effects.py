"""Options that ask for something of which a project may have none."""

from __future__ import annotations

from collections.abc import Collection

from ..model.finding import Message
from .options import MigrationOptions, OptionError

CODES = {
    "specify_device": ("NPU290",),
    "from_cpu": ("NPU214",),
    "enable_amp": ("NPU390", "NPU391"),
    "image": ("NPU1301", "NPU1303"),
}
"""The rules of which at least one finds something where an option has an effect. To put equivalents in the
place of unsupported APIs is no such option: users who ask for that expect none. Neither are paths
of ModelArts, which a project may have as they must be."""

SHOWN_BY = {"unknown_apis": "NPU003", "restricted_apis": "NPU006"}
"""The rule that finds what an option asks for: a target without it has nothing to say there."""


def refuse_without_effect(options: MigrationOptions, codes: Collection[str]) -> None:
    """Look at what a migration found; it calls this before anything is put in its place.

    Args:
        codes: Of the rules that changed or left something.

    Raises:
        OptionError: an option changed nothing, and no finding says why.
    """
    usual = MigrationOptions()
    for name, shown_by in CODES.items():
        if getattr(options, name) != getattr(usual, name) and not set(shown_by) & set(codes):
            raise OptionError(name, Message.of(f"option.error.without_effect.{name}"))
