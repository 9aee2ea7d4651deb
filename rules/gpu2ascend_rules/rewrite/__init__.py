"""Structural changes, made by LibCST on the call that changes.

A fix's plan has the steps as plain data; :func:`rewrite_edits` does them when the text edits are asked for.
LibCST is imported then, and not before: it is not on the path of a check.
"""

from __future__ import annotations

from ..model.defects import raised
from ..model.finding import Edit, Rewrite
from ..text.source_file import SourceFile
from .declined import RewriteDeclined, RewriteFailed
from .depth import MAX_DEPTH, is_deeper_than

__all__ = ["RewriteDeclined", "RewriteFailed", "rewrite_edits"]


def rewrite_edits(source: SourceFile, rewrite: Rewrite) -> tuple[Edit, ...]:
    """The token edits that a structural change amounts to.

    Raises:
        RewriteDeclined: the change cannot be made here.
        RewriteFailed: it should have been possible, and failed.
    """
    node = source.node_at(rewrite.start, rewrite.end)
    if node is None or is_deeper_than(node, MAX_DEPTH):
        raise RewriteDeclined("too deep")
    from .calls import change_call
    from .snippet import rewrite_expression

    try:
        return rewrite_expression(source, rewrite.start, rewrite.end, change_call(rewrite.steps))
    except RewriteDeclined:
        raise
    except Exception as error:
        raise RewriteFailed(f"call: {raised(error)}") from error
