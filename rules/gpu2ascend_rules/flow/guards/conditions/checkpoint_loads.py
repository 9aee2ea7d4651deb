"""Where a checkpoint is loaded: a file from a GPU can be read to the CPU alone."""

from __future__ import annotations

import re

from tree_sitter import Node

from ....engine.context import Context
from ....limits.parents import parent_of
from ....text.syntax import field, last_name, outside_parentheses, parts_of, passed_to, same, text_of
from ....text.uses import uses_of_variable
from ..code_searches import MOVES, CodePattern, Span, has_in_code

_COMMENT = re.compile(r"#.*")
_LOAD = CodePattern(re.compile(rb"\bload(_url|_state_dict_from_url)?\("), (b"load",))
_PLACE = CodePattern(re.compile(rb"map_location"), (b"map_location",))
_ON_CPU = re.compile(r"map_location\s*=[^,)]*cpu")
_LOADERS = frozenset({"load", "load_url", "load_state_dict_from_url"})


def chooses_where_to_load(choice: Node, ctx: Context) -> bool:
    """``None if test else 'cpu'`` for a map_location: a file from a GPU can be read to the CPU alone."""
    return cpu_arm(choice) is not None and is_map_location(choice, ctx)


def cpu_arm(choice: Node) -> Node | None:
    """The CPU of ``None if test else 'cpu'``."""
    parts = parts_of(choice)
    if choice.type != "conditional_expression" or len(parts) != 3:
        return None
    given = [arm for arm in (parts[0], parts[2]) if arm.type != "none"]
    return given[0] if len(given) == 1 and _is_cpu(given[0]) else None


def is_map_location(value: Node, ctx: Context) -> bool:
    """Whether an expression ends up as a map_location, through a variable too."""
    whole = outside_parentheses(value)
    if _is_given_as_place(whole):
        return True
    parent = parent_of(whole)
    if parent is None or parent.type != "assignment" or not same(field(parent, "right"), whole):
        return False
    target = field(parent, "left")
    if target is None:
        return False
    if target.type != "identifier":
        return text_of(target).rpartition(".")[2] == "map_location"
    return text_of(target) == "map_location" or any(
        _is_given_as_place(use) for use in uses_of_variable(target, ctx.source)
    )


def _is_given_as_place(value: Node) -> bool:
    parent = parent_of(value)
    if parent is None:
        return False
    if parent.type == "pair":
        return text_of(field(parent, "key") or parent).strip("'\"") == "map_location"
    if parent.type in ("keyword_argument", "default_parameter", "typed_default_parameter"):
        return text_of(field(parent, "name") or parent) == "map_location"
    passed = passed_to(value)
    if passed is None or last_name(passed.call) not in _LOADERS:
        return False
    return passed.argument.position == (1 if last_name(passed.call) == "load" else 2)


def _is_cpu(arm: Node) -> bool:
    text = _code(arm)
    return re.search(r"""["']cpu["']|\.cpu\(\)""", text) is not None or bool(
        re.fullmatch(r"\(*lambda\s+(\w+)\s*,\s*\w+\s*:\s*\1\)*", text.strip())
    )


def loads_without_place(arm: Node, ctx: Context) -> bool:
    """Whether an arm is ``load(f)`` where the other one is ``load(f, map_location='cpu')``."""
    has_load, moves, has_place = (
        has_in_code(ctx.source, pattern, Span.of(arm)) for pattern in (_LOAD, MOVES, _PLACE)
    )
    return has_load and not moves and not has_place and loads_on_cpu_otherwise(arm, ctx)


def loads_on_cpu_otherwise(arm: Node, ctx: Context) -> bool:
    """Whether the other arm of an ``if`` loads the same kind of file to the CPU."""
    choice = parent_of(arm)
    if choice is None or choice.type != "if_statement":
        return False
    clauses = [child for child in choice.children if child.type == "else_clause"]
    others = clauses if arm.type == "block" else [field(choice, "consequence")]
    loading = [
        other
        for other in others
        if other is not None
        and all(has_in_code(ctx.source, pattern, Span.of(other)) for pattern in (_LOAD, _PLACE))
    ]
    return any(_ON_CPU.search(_code(other)) for other in loading)


def _code(node: Node) -> str:
    return _COMMENT.sub("", text_of(node))
