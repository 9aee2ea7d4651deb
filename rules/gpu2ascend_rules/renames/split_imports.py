"""One import statement taken apart, where its names come from several modules afterwards."""

from __future__ import annotations

from tree_sitter import Node

from ..engine.context import Context
from ..engine.rule import replace
from ..model.finding import Edit
from ..text.scopes import Binding
from ..text.source_file import SourceFile
from ..text.syntax import text_of


def split_statement(
    statement: Node, module: Node, groups: dict[str, list[str]], staying: list[Binding], ctx: Context
) -> Edit:
    """The statement as one import for each module that its names now come from."""
    parts: list[str] = []
    if staying:
        kept = ", ".join(text_of(binding.node) for binding in staying)
        parts.append(f"from {text_of(module)} import {kept}")
    parts += [f"from {name} import {', '.join(items)}" for name, items in groups.items()]
    return replace(statement, statement_joiner(statement, ctx.source).join(parts))


def statement_joiner(statement: Node, source: SourceFile) -> str:
    """What is between a simple statement and another that is put behind it: a line end, or ``;`` where
    something comes before the statement on its line."""
    line_start = source.lines.line_start(source.lines.line_of(statement.start_byte))
    indent = source.slice(line_start, statement.start_byte)
    return "; " if indent.strip() else f"{source.newline}{indent}"
