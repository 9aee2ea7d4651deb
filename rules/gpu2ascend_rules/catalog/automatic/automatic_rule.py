"""What the rules on transfer_to_npu have in common."""

from __future__ import annotations

from ...engine.rule import Example, Family, Rule

_SETTINGS = (("auto", True),)


def automatic(before: str, after: str | None = None, version: str = "2.8.0", **how: bool) -> Example:
    """An example for this way of reaching torch_npu."""
    return Example(before, after, version=version, settings=_SETTINGS, **how)  # type: ignore[arg-type]


class AutomaticRule(Rule):
    """Base of the rules."""

    family = Family.AUTOMATIC
