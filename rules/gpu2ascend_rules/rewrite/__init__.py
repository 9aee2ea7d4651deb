"""Structural changes of the call that changes, made when, and only when, the text edits are asked for.

A fix's plan has the steps as plain data; :func:`rewrite_edits` does them and gives the tokens that differ.
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
    from .calls import changed_call
    from .tokens import token_edits

    try:
        before = source.slice(node.start_byte, node.end_byte)
        return token_edits(before, changed_call(source, node, rewrite.steps), node.start_byte)
    except RewriteDeclined:
        raise
    except Exception as error:
        raise RewriteFailed(f"call: {raised(error)}") from error
