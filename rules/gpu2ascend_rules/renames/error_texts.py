"""Literals by which a program knows an error of CUDA: ``'CUDA out of memory' in str(error)``."""

from __future__ import annotations

from typing import NamedTuple

from ..engine.context import Context
from ..engine.events import StringRef
from ..flow.subjects.error_texts import search_for_text
from ..text.syntax import ancestors, call_with
from .texts import written_text

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
    is_compared = any(parent.type == "comparison_operator" for parent in ancestors(ref.node))
    if not is_compared and not _is_searched_for(ref):
        search = search_for_text(ref.node, ctx)
        if search is None:
            return None
        is_compared = search.node is not None and search.node.type == "comparison_operator"
    return SearchedText(at, end, is_compared)


def _is_searched_for(ref: StringRef) -> bool:
    call = call_with(ref.node)
    function = call.child_by_field_name("function") if call is not None else None
    name = function.child_by_field_name("attribute") if function is not None else None
    return name is not None and name.text in (b"startswith", b"find", b"index", b"count")
