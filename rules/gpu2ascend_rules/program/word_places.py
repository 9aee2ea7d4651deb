"""The kinds of places at which words are written, by which rules divide what the program decides about."""

from __future__ import annotations

import enum

from tree_sitter import Node

from ..limits.parents import parent_of
from ..model.project.decisions import Decision
from ..text.syntax import enclosing, field, last_name, passed_to, same, text_of

_TESTS = frozenset({"comparison_operator", "case_pattern", "union_pattern"})
_DISPLAYS = frozenset({"list", "tuple", "set", "type_parameter", "type", "subscript", "union_pattern"})
_SEARCHES = frozenset(
    {"startswith", "endswith", "split", "rsplit", "partition", "replace", "removeprefix", "removesuffix",
     "find", "index", "count", "strip", "lstrip", "rstrip"}
)  # fmt: skip

_MATCHES = frozenset({"match", "fullmatch", "search", "findall", "finditer", "compile", "sub", "subn"})
_PATTERNS = ("pattern", "regex")


class WordPlace(enum.Enum):
    """Where a word is written."""

    VALUE = "value"
    """It is a value that goes somewhere."""
    TEST = "test"
    """Something is compared with it."""
    ITEM = "item"
    """It is an item of a list or type that gets the NPU's word beside it."""
    KEY = "key"
    """It is a key of a table, beside which the NPU gets an entry."""
    CHOICE = "choice"
    """It is one of the choices of an option, which change with the default."""


def place_of(literal: Node, decision: Decision) -> WordPlace:
    """The place of a word about which a decision was made."""
    parent = parent_of(literal)
    if parent is None:
        return WordPlace.VALUE
    if parent.type == "pair" and same(field(parent, "key"), literal):
        return WordPlace.KEY
    if decision.is_widened and parent.type in _DISPLAYS:
        return WordPlace.ITEM
    if parent.type in _TESTS or _is_searched_for(literal):
        return WordPlace.TEST
    return WordPlace.CHOICE if parent.type in _DISPLAYS and _is_choice(parent) else WordPlace.VALUE


def _is_searched_for(literal: Node) -> bool:
    passed = passed_to(literal)
    if passed is None:
        return False
    if passed.argument.keyword in _PATTERNS:
        return True
    return passed.argument.position == 0 and last_name(passed.call) in _SEARCHES | _MATCHES


def _is_choice(display: Node) -> bool:
    keyword = parent_of(display)
    if keyword is not None and keyword.type == "keyword_argument":
        name = field(keyword, "name")
        return text_of(name) == "choices"
    passed = passed_to(display)
    if passed is not None and last_name(passed.call) == "Choice":
        return True
    pair = enclosing(display, "pair")
    key = field(pair, "key")
    is_value = pair is not None and same(field(pair, "value"), display)
    return is_value and key is not None and "choices" in text_of(key)
