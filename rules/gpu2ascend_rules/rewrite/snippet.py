"""Parse one expression with LibCST, transform it, and give back only the tokens that differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

import libcst as cst

from ..model.finding import Edit
from ..text.source_file import SourceFile
from .declined import RewriteDeclined

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]", re.UNICODE)

ExpressionChange = Callable[[cst.BaseExpression], cst.BaseExpression]


def rewrite_expression(
    source: SourceFile, start: int, end: int, change: ExpressionChange
) -> tuple[Edit, ...]:
    """The edits that turn the expression between two byte offsets into its changed form."""
    before = source.slice(start, end)
    after = rewritten(before, change, source.newline)
    return token_edits(before, after, start)


def rewritten(before: str, change: ExpressionChange, newline: str = "\n") -> str:
    """An expression's text after a change. Raises RewriteDeclined: LibCST does not parse the text."""
    config = cst.PartialParserConfig(default_newline=newline)
    try:
        # In its own parentheses an expression may span lines as it does in its file.
        tree = cst.parse_expression(f"({before})", config)
    except cst.ParserSyntaxError as error:
        raise RewriteDeclined(before) from error
    own = tree.lpar[0], tree.rpar[-1]
    bare = tree.with_changes(lpar=tree.lpar[1:], rpar=tree.rpar[:-1])
    leading = own[0].whitespace_after
    trailing = own[1].whitespace_before
    module = cst.Module([], default_newline=newline)
    edges = (module.code_for_node(leading), module.code_for_node(trailing))
    return edges[0] + module.code_for_node(change(bare)) + edges[1]


def token_edits(before: str, after: str, start: int) -> tuple[Edit, ...]:
    """The smallest edits by whole tokens from one text to another that begins at byte ``start``."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    offsets = [start]
    for token in old:
        offsets.append(offsets[-1] + len(token.encode("utf-8", "surrogatepass")))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(offsets[i1], offsets[i2], "".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )
