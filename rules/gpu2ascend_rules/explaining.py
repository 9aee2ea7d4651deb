"""What a rule does, why, and what to use instead: its docstring, and the translation of its docstring.

Translations are data, ``messages/<language>/rules/*.json``: the parts of each rule by its code, and beside
them the digest of the English text that was translated. ``make untranslated`` lists what is missing.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from .engine.rule import Rule
from .messages import folders

PARTS = {
    "What it does": "what",
    "Why it matters on the NPU": "why",
    "Example": "example",
    "Use instead": "instead",
}
"""The titles of the parts of a rule's docstring, with their names here."""
DIGEST = "of"
"""The key of a translation beside its parts: the :func:`digest` of what was translated."""

_TITLE = re.compile(rf"^({'|'.join(PARTS)}):[ \n]", re.MULTILINE)


def documentation(rule: Rule, language: str = "en") -> dict[str, str]:
    """A rule's ``summary``, in English, and each of :data:`PARTS` that it has, with its own newlines.

    A part that is not translated is in English, and so is every part of a rule whose English text changed
    after its translation.
    """
    text = inspect.cleandoc(rule.__doc__ or "")
    summary, *pieces = _TITLE.split(text)
    parts = {"summary": summary.strip()}
    for title, body in zip(pieces[::2], pieces[1::2], strict=True):
        parts[PARTS[title]] = body.strip()
    if language == "en":
        return parts
    translated = translations(language).get(rule.code, {})
    if translated.get(DIGEST) != digest(rule):
        return parts
    return {name: translated.get(name, body) for name, body in parts.items()}


def translations(language: str) -> Mapping[str, Mapping[str, str]]:
    """The translated parts of each rule, by its code."""
    return cached_translations(language, folders())


@cache
def cached_translations(language: str, catalogues: tuple[Path, ...]) -> Mapping[str, Mapping[str, str]]:
    """Those in some folders."""
    found: dict[str, dict[str, str]] = {}
    for catalogue in catalogues:
        for path in sorted((catalogue / language / "rules").glob("*.json")):
            found.update(json.loads(path.read_text(encoding="utf-8")))
    return found


def digest(rule: Rule) -> str:
    """A short fingerprint of a rule's English parts, whatever their line breaks."""
    parts = documentation(rule)
    text = "\n".join(" ".join(parts.get(name, "").split()) for name in PARTS.values())
    return hashlib.sha256(text.encode()).hexdigest()[:12]
