"""What a program does with the output of a command that it runs: nothing, shows it, or reads it."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...limits.parents import parent_of
from ...limits.walks import FORWARD_LIMITS
from ...text.source_file import SourceFile
from ...text.syntax import (
    ancestors,
    call_of,
    field,
    is_field,
    last_name,
    outside_parentheses,
    passed_to,
    same,
    text_of,
)
from ...text.uses import uses_of_variable
from ..subject import SAYS
from ..subjects.commands import is_program_call

_GIVES_STATUS = frozenset({"call", "check_call", "system"})
"""Calls whose value says whether the command succeeded: its output goes to the terminal."""
_OF_PROCESS = frozenset(
    {
        "check_returncode", "close", "kill", "pid", "poll", "returncode", "send_signal", "terminate", "wait",
        "__enter__", "__exit__",
    }
)  # fmt: skip
"""Attributes of a process that say nothing of its output."""
_KEEPS = frozenset(
    {"communicate", "decode", "lstrip", "output", "read", "result", "rstrip", "stderr", "stdout", "strip"}
)
"""Attributes that give the output, or most of it, as it is."""
_GIVES_PAIR = frozenset({"communicate", "getstatusoutput"})
_STATEMENTS_AROUND = ("expression_statement", "assignment", "return_statement")


class Reading(enum.IntEnum):
    """What happens to an output, in ascending order of what depends on its form."""

    NOTHING = 0
    SHOWN = 1
    UNKNOWN = 2
    """The call that runs the command is not in the file."""
    READ = 3


def reading_of_command(string: Node, ctx: Context) -> Reading:
    """What happens to the output of the commands that a text is, or is a part of."""
    runs = list(_runs_of(string, ctx.source, FORWARD_LIMITS.values))
    if not runs:
        return Reading.UNKNOWN
    return max(_reading_of_run(call, ctx.source) for call in runs)


def _runs_of(node: Node, source: SourceFile, depth: int) -> Iterator[Node]:
    """The calls that run a command, also by way of a variable."""
    child = node
    for parent in ancestors(node):
        if parent.type == "call" and is_program_call(parent):
            yield parent
            return
        if parent.type == "assignment" and is_field(child, "right"):
            target = field(parent, "left")
            if depth and target is not None and target.type == "identifier":
                for use in uses_of_variable(target, source):
                    yield from _runs_of(use, source, depth - 1)
            return
        if parent.type in _STATEMENTS_AROUND:
            return
        child = parent


def _reading_of_run(call: Node, source: SourceFile) -> Reading:
    if last_name(call) in _GIVES_STATUS:
        return Reading.NOTHING
    return _reading_of(call, source, set())


def _reading_of(value: Node, source: SourceFile, seen: set[int]) -> Reading:
    """What happens to an expression that has the output."""
    node = outside_parentheses(value)
    parent = parent_of(node)
    if parent is None or node.id in seen:
        return Reading.NOTHING
    seen.add(node.id)
    if parent.type == "expression_statement":
        return Reading.NOTHING
    if parent.type in ("await", "interpolation", "binary_operator", "string", "formatted_string"):
        return _reading_of(parent, source, seen)
    if parent.type == "subscript" and node.type == "call" and last_name(node) in _GIVES_PAIR:
        return _reading_of(parent, source, seen)
    if parent.type == "attribute" and is_field(node, "object"):
        return _reading_of_attribute(parent, source, seen)
    if parent.type == "assignment" and same(field(parent, "right"), node):
        return _reading_of_variable(parent, source, seen)
    passed = passed_to(node)
    if passed is None:
        return Reading.READ
    name = last_name(passed.call)
    if name in SAYS:
        return Reading.SHOWN
    return _reading_of(passed.call, source, seen) if name in ("str", "repr") else Reading.READ


def _reading_of_attribute(attribute: Node, source: SourceFile, seen: set[int]) -> Reading:
    name = text_of(field(attribute, "attribute") or attribute)
    if name in _OF_PROCESS:
        return Reading.NOTHING
    call = call_of(attribute)
    return (
        _reading_of(call if call is not None else attribute, source, seen) if name in _KEEPS else Reading.READ
    )


def _reading_of_variable(assignment: Node, source: SourceFile, seen: set[int]) -> Reading:
    target = field(assignment, "left")
    if target is None or target.type != "identifier":
        return Reading.READ
    found = Reading.NOTHING
    for count, use in enumerate(uses_of_variable(target, source)):
        found = Reading.READ if count > FORWARD_LIMITS.uses else max(found, _reading_of(use, source, seen))
        if found is Reading.READ:
            break
    return found
