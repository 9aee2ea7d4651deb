"""The names of orders: the same in every run, as long as a rule says the same of the same API."""

from __future__ import annotations

import hashlib
import re

from gpu2ascend_rules.model.finding import Finding

from ..report.effort.classes import cause_of

_NAME = re.compile(r".+-[0-9a-f]{8}")


def order_of(finding: Finding) -> str:
    """The name of the order that a finding belongs to."""
    code, message, api = cause_of(finding)
    return f"{code}-{hashlib.sha256(chr(0).join((code, message, api or '')).encode()).hexdigest()[:8]}"


def is_order_name(text: str) -> bool:
    """Whether a text looks like the name of an order."""
    return _NAME.fullmatch(text) is not None
