"""Guides that come with the package, for users without a checkout of ``docs``.

Each is a Markdown page beside this file, in every language of the messages.
"""

from __future__ import annotations

from pathlib import Path

CUSTOM_RULES = "custom-rules"
"""How to write a file of custom rules."""

TOPICS = (CUSTOM_RULES,)

_SUFFIXES = {"en": ".md", "zh": ".zh-CN.md"}


def guide(topic: str, language: str) -> str | None:
    """The Markdown of a guide; ``None`` for what is no topic of one."""
    if topic not in TOPICS:
        return None
    page = Path(__file__).with_name(topic + _SUFFIXES[language])
    return page.read_text(encoding="utf-8")
