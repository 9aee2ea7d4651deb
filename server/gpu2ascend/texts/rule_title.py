"""The title of a rule."""

from __future__ import annotations

from gpu2ascend_rules import Rule, rule_by_code
from gpu2ascend_rules.explaining import documentation

from .catalogue import Texts


def title_of_code(code: str, texts: Texts) -> str:
    """What a rule is about; nothing for the user's own rules."""
    rule = rule_by_code(code)
    return title_of(rule, texts) if rule is not None else ""


def title_of(rule: Rule, texts: Texts) -> str:
    """One sentence that says what the rule is about, in the user's language where there is one."""
    title_id = f"{rule.code}.title"
    return texts(title_id) if texts.has(title_id) else documentation(rule)["summary"]
