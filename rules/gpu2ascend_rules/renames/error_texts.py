"""Literals by which a program knows an error of CUDA: ``'CUDA out of memory' in str(error)``."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..engine.events import StringRef
from ..flow.subjects.error_texts import search_for_text
from ..limits.parents import parent_of, parent_type
from ..text.syntax import call_with, field, text_of
from .texts import written_text

_DISPLAYS = frozenset({"tuple", "list", "set"})
_SEARCHES = frozenset({"startswith", "find", "index", "count"})
ERROR_TEXTS = ("CUDA out of memory", "CUDA error: out of memory")


class SearchedText(NamedTuple):
    """What of a literal names the device, before the rest of the message."""

    start: int
    end: int
    is_compared: bool
    """Whether it is enough that the message contains the rest."""


def searched_text(ref: StringRef, ctx: Context) -> SearchedText | None:
    """The part of a literal that is CUDA's alone, if the text of an error is searched for it."""
    text = written_text(ref.node)
    at = text.find("CUDA ")
    end = text.find("out of memory", at)
    if at < 0 or end < 0:
        return None
    holder = parent_of(ref.node)
    if holder is not None and holder.type == "comparison_operator":
        return SearchedText(at, end, _finds_part(holder))
    if holder is not None and holder.type in _DISPLAYS and parent_type(holder) == "comparison_operator":
        return SearchedText(at, end, is_compared=False)
    method = _searching_method(ref)
    if method in _SEARCHES:
        return SearchedText(at, end, is_compared=method != "startswith")
    search = search_for_text(ref.node, ctx)
    return SearchedText(at, end, _finds_part(search.node)) if search is not None else None


def _finds_part(search: Node | None) -> bool:
    """Whether a search finds a text anywhere in the message, not only at a place, or if it is all of it."""
    is_comparison = search is not None and search.type == "comparison_operator"
    return is_comparison and text_of(field(search, "operators")) in ("in", "not in")


def _searching_method(ref: StringRef) -> str:
    """The method that searches a text for a literal: ``find`` of ``str(e).find('CUDA out of memory')``."""
    call = call_with(ref.node)
    function = call.child_by_field_name("function") if call is not None else None
    return text_of(field(function, "attribute"))
