"""What is known of a rule by its code."""

from __future__ import annotations

from collections.abc import Mapping

from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.explaining import PARTS, documentation

from ....texts.catalogue import Texts


def advice(code: str, texts: Texts) -> str:
    """What to use instead."""
    return parts_of(code, texts).get("instead", "")


def parts_of(code: str, texts: Texts) -> Mapping[str, str]:
    """The parts of a rule's documentation, each as one line of text, in the order in which they are read."""
    rule = rule_by_code(code)
    if rule is None:
        return {}
    parts = documentation(rule, texts.language)
    return {name: " ".join(parts[name].split()) for name in PARTS.values() if parts.get(name)}
