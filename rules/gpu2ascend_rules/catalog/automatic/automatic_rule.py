"""What the rules on transfer_to_npu have in common."""

from __future__ import annotations

from ...engine.rule import Rule


class AutomaticRule(Rule):
    """Base of the rules."""

    example_settings = (("auto", True),)
