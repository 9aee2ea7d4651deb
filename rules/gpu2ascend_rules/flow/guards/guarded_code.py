"""What a test of a device's name decides over, and what it tests: where either changes, it changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.climbing import Enclosing
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, field, is_field, leaves_block, parts_of, same, text_of
from ...text.uses import compared_texts, function_start
from ..subjects.devices import device_flow
from ..tracing.calls.declarations import OPTIONS, option_names
from ..verdicts import Role
from ..words import is_device_text
from .code_searches import CodePattern, Span, has_in_code, rest_of_block

if TYPE_CHECKING:
    from ...engine.context import Context

_DEVICE_CODE = CodePattern(
    re.compile(
        rb"""\btorch\.cuda\.|\.cuda\(|\btorch_npu\.|\.npu\(|\bnpu\.|\bcuda\.[a-z]\w*\("""
        rb"""|["'](cuda|npu)(:[^"'\n]*)?["']"""
    ),
    (b"cuda", b"npu"),
)
_PUTS = CodePattern(
    re.compile(
        rb"""\.(?:cuda|npu)\(|(?:\.to\(|\bdevice\(|\b(?:device|map_location)[ ]?=[ ]?)"""
        rb"""["'](?:cuda|npu)(?::|["'])"""
    ),
    (b"cuda", b"npu"),
)
_NPU = re.compile(r"npu(:\w*)?")
_STATEMENTS = frozenset({"if_statement", "elif_clause", "while_statement"})
_STOPS = ("_statement", "block", "_definition")


def guards_device_code(test: Node, source: SourceFile) -> bool:
    """Whether code that a test decides over names the device: CUDA's, or the NPU's after a migration."""
    return any(has_in_code(source, _DEVICE_CODE, part) for part in _guarded(test, source))


def decides_over_moves(test: Node, ctx: Context) -> bool:
    """Whether code that a test decides over puts something on the device, more than emptying its caches."""
    return any(has_in_code(ctx.source, _PUTS, part) for part in _guarded(test, ctx.source))


def _guarded(test: Node, source: SourceFile) -> Iterator[Span]:
    ways = source.once(
        _guarded, lambda: Enclosing("case_clause", "conditional_expression", "elif_clause", suffixes=_STOPS)
    )
    way = ways.on_the_way(test)
    while way is not None:
        child, parent = way
        if parent.type == "case_clause":
            consequence = field(parent, "consequence")
            if consequence is not None:
                yield Span.of(consequence)
            return
        if parent.type == "conditional_expression":
            parts = parts_of(parent)
            if len(parts) == 3 and same(parts[1], child):
                yield from (Span.of(parts[0]), Span.of(parts[2]))
                return
        if parent.type in _STATEMENTS and is_field(child, "condition"):
            yield from _arms(parent)
            return
        if parent.type == "assert_statement":
            yield rest_of_block(parent)
            return
        if parent.type.endswith(_STOPS):
            return
        way = ways.on_the_way(parent)


def _arms(statement: Node) -> Iterator[Span]:
    consequence = field(statement, "consequence") or field(statement, "body")
    if consequence is not None:
        yield Span.of(consequence)
    yield from (Span.of(child) for child in statement.children if child.type == "else_clause")
    if leaves_block(consequence):
        yield rest_of_block(statement)


def changes_with(display: Node, ctx: Context) -> bool:
    """Whether what a test decides over changes, or what it looks up: the test changes with it."""
    if guards_device_code(display, ctx.source):
        return True
    comparison = parent_of(display)
    if comparison is None or comparison.type != "comparison_operator":
        return False
    return becomes_npu(comparison.named_children[0], ctx)


def becomes_npu(looked_up: Node, ctx: Context) -> bool:
    """Whether what is looked up in a list of devices is one of the NPU after a migration.

    It is where the file gives it a CUDA device, as a value, as a default or as an option's default, and where
    its function compares it with one: those texts change, and a list without the NPU would refuse them.
    """
    tested = field(looked_up, "object") if text_of(looked_up).endswith(".type") else looked_up
    for expression in (looked_up, tested or looked_up):
        if any(_is_renamed(origin, ctx) for origin in ctx.origins(expression)):
            return True
    name = field(looked_up, "attribute") if looked_up.type == "attribute" else None
    if name is not None and text_of(name) in ctx.once("options for CUDA", lambda: _options_for_cuda(ctx)):
        return True
    compared = ctx.once("compared with CUDA", lambda: _compared_with_cuda(ctx))
    return (function_start(looked_up, ctx.source), text_of(looked_up)) in compared


def _is_renamed(origin: Node, ctx: Context) -> bool:
    """Whether an expression is a device of CUDA that is renamed, or one that was: its text, or
    ``torch.device`` of it."""
    if origin.type == "call":
        arguments = arguments_of(origin)
        first = arguments.at(0) or arguments.keyword("type") or arguments.keyword("device")
        if first is None:
            return False
        origin = first.value
    return origin.type == "string" and _is_text_of(origin, Role.CONSUMED, ctx)


def _is_text_of(string: Node, role: Role, ctx: Context) -> bool:
    """Whether a text is a CUDA device in a role in which it is renamed, or an NPU's: one that was."""
    text = text_of(string).strip("'\"")
    if not is_device_text(text):
        return _NPU.fullmatch(text) is not None
    return device_flow(ctx).role_of_string(string).role is role


def _options_for_cuda(ctx: Context) -> frozenset[str]:
    """The options whose default is a CUDA device that is renamed, by the attributes that they fill."""
    names: set[str] = set()
    for word in OPTIONS:
        for identifier in ctx.source.identifiers(word):
            call = ctx.source.enclosing(identifier, "call")
            default = arguments_of(call).keyword("default") if call is not None else None
            if call is not None and default is not None and _is_renamed(default.value, ctx):
                names.update(option_names(call))
    return frozenset(names)


def _compared_with_cuda(ctx: Context) -> frozenset[tuple[int, str]]:
    """What is compared with a CUDA device by texts that are renamed, with the function that does so."""
    return frozenset(
        (function_start(string, ctx.source), text_of(other))
        for string, other in compared_texts(ctx.source, (b"cuda", b"npu"))
        if _is_text_of(string, Role.TEST, ctx)
    )
