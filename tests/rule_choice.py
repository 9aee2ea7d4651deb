"""Which files of tests have something for a rule, as their texts show it."""

from __future__ import annotations

from pathlib import Path

OF_RULES = ("all_rules", "every_rule", "near_programs", "words_are_decided_alike", "own_rules")
"""What a file of tests names that has items for each rule, or looks at all of them."""


def may_regard(file: Path, code: str) -> bool:
    """Whether a file may have a test that is named after a rule, or one that looks at every rule."""
    text = file.read_text(encoding="utf-8")
    return any(name in text for name in (code, *OF_RULES))
