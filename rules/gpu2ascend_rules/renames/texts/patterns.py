"""A word in a regular expression becomes another."""

from __future__ import annotations

from tree_sitter import Node

from ...flow.words import words_in_pattern
from ...model.finding import Edit
from .literals import parts_become, written_text


def pattern_for(text: str, word: str, target: str) -> str:
    """The regular expression with another word."""
    found, end = [], 0
    for item in words_in_pattern(text, word):
        found += [text[end : item.start()], target]
        end = item.end()
    return "".join((*found, text[end:]))


def pattern_becomes(literal: Node, word: str, target: str) -> list[Edit]:
    """The edits of the literal of a regular expression."""
    found = words_in_pattern(written_text(literal), word)
    return parts_become(literal, [(item.start(), item.end(), target) for item in found]) or []
