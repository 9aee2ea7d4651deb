"""Environment variables: what becomes of each, and where a file speaks of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from ...data import load_tsv
from ...engine.context import Context
from ...limits.parents import parent_of, parent_type
from ...model.versions import Version, choose_version
from ...text.syntax import (
    arguments_of,
    call_with,
    called_on,
    field,
    is_field,
    last_name,
    parts_of,
    same,
    text_of,
    without_parentheses,
)
from ..subject import SAYS, PlaceKind, Sink, Subject
from ..verdicts import Role
from ..word_flow import flow_of
from ..words import words_of

SET_FOR_GPUS = re.compile(r"SLURM_(?:GPUS(?:_\w+)?|JOB_GPUS|STEP_GPUS|NTASKS_PER_GPU)")
"""Variables that a job of Slurm has only where it asked for GPUs."""
_ACCESSORS = ("getenv", "putenv", "unsetenv", "setenv", "delenv", "environb")
_SETS = ("setdefault", "putenv", "setenv")
_READS = ("get", "getenv")
_KEEPERS = ("copy", "keys")
_ENVIRONMENT_WORDS = frozenset({"env", "envs", "environ", "environment", "envvars", "osenv"})


class EnvironmentVariable(NamedTuple):
    """What becomes of an environment variable for one torch version."""

    name: str
    treatment: str
    """``rename``, ``similar``, ``drop``, ``ignored``, ``advise`` or ``keep``."""
    target: str
    advice: str


@lru_cache(maxsize=512)
def variable_for(name: str, version: Version) -> EnvironmentVariable | None:
    """The table's entry for a variable; ``None`` for one that is not listed, or not for the version."""
    best: EnvironmentVariable | None = None
    longest = -1
    for row in load_tsv("environment"):
        pattern = row["variable"]
        matches = name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
        weight = len(pattern) + (0 if pattern.endswith("*") else 1000)
        if matches and weight > longest and _holds(row, version):
            best, longest = EnvironmentVariable(name, row["treatment"], row["target"], row["advice"]), weight
    return best


def is_named_in_full(name: str) -> bool:
    """Whether the table has a variable by its whole name, and not only by the beginning of a family's."""
    return any(row["variable"] == name for row in load_tsv("environment"))


def _holds(row: dict[str, str], version: Version) -> bool:
    since = choose_version(row["since"]).version if row["since"] else None
    until = choose_version(row["until"]).version if row["until"] else None
    return (since is None or version[:2] >= since[:2]) and (until is None or version[:2] <= until[:2])


def is_environment(expression: Node, ctx: Context) -> bool:
    """Whether an expression is the environment, its names or a copy of it, or goes by a name for one."""
    node = without_parentheses(expression)
    if node.type == "call":
        function = field(node, "function")
        inner = [item.value for item in arguments_of(node).items]
        if last_name(node) in _KEEPERS and function is not None:
            return is_environment(field(function, "object") or function, ctx) or any(
                is_environment(item, ctx) for item in inner
            )
        return last_name(node) == "dict" and any(is_environment(item, ctx) for item in inner)
    if node.type == "attribute" or node.type == "identifier":
        return _is_environment_name(text_of(node).rpartition(".")[2])
    return False


def _is_environment_name(name: str) -> bool:
    """``env``, ``current_env``, ``env_vars``; not ``env_info``."""
    words = words_of(name)
    if words[-1:] and words[-1] in ("vars", "variables", "var", "dict"):
        words = words[:-1]
    return bool(words) and words[-1] in _ENVIRONMENT_WORDS


def _name_of_holder(holder: Node) -> str:
    """The name, or the last part of it, under which a statement, an argument or an entry keeps a value."""
    target = field(holder, "name") or field(holder, "left") or field(holder, "key")
    return text_of(target).strip("'\"").rpartition(".")[2] if target is not None else ""


def _is_environment_dictionary(dictionary: Node, ctx: Context) -> bool:
    """Whether a dictionary goes where environments go: ``env=``, ``environ.update()``, ``environ |=``."""
    splats = (child for child in dictionary.named_children if child.type == "dictionary_splat")
    if any(is_environment(splat.named_children[0], ctx) for splat in splats if splat.named_children):
        return True
    parent = parent_of(dictionary)
    if parent is None:
        return False
    if parent.type == "binary_operator":
        return any(is_environment(part, ctx) for part in parts_of(parent) if not same(part, dictionary))
    if parent.type in ("keyword_argument", "assignment", "augmented_assignment", "pair"):
        return _is_environment_name(_name_of_holder(parent))
    call = parent_of(parent) if parent.type == "argument_list" else None
    return call is not None and call.type == "call" and _changes_environment(call, ctx)


def _changes_environment(call: Node, ctx: Context) -> bool:
    """``environ.update(...)`` and ``patch.dict(environ, ...)``."""
    receiver = called_on(call)
    if receiver is not None and last_name(call) == "update" and is_environment(receiver, ctx):
        return True
    given = [item.value for item in arguments_of(call).items]
    return last_name(call) == "dict" and any(
        is_environment(item, ctx) or text_of(item).strip("'\"") == "os.environ" for item in given
    )


def _holds_variables(expression: Node, ctx: Context) -> bool:
    """Whether the keys of an expression are variables: of the environment, or of what becomes one."""
    if expression.type == "dictionary":
        return _is_environment_dictionary(expression, ctx)
    return is_environment(expression, ctx)


def _asks_environment(name: str, position: int) -> bool:
    """Whether a function of that name takes a variable first: ``get_env('CUDA_HOME')``."""
    return position == 0 and not _ENVIRONMENT_WORDS.isdisjoint(words_of(name))


@lru_cache(maxsize=512)
def _is_variable(text: str) -> bool:
    """Whether the table lists a variable for some version."""
    patterns = (row["variable"] for row in load_tsv("environment"))
    return any(
        text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern for pattern in patterns
    )


def _role_of_keys(keys: Sequence[str | None]) -> Role:
    return Role.UNKNOWN


VARIABLES = Subject(
    name="environment variables",
    is_text=_is_variable,
    callee=_asks_environment,
    callee_first=True,
    called=dict.fromkeys(_ACCESSORS, Sink(0)),
    holder=_holds_variables,
    of_torch=False,
    role_of_keys=_role_of_keys,
    shown_by=SAYS | {"format", "add_argument"},
    otherwise={
        PlaceKind.INDEX: Role.UNKNOWN,
        PlaceKind.COMPARED: Role.UNKNOWN,
        PlaceKind.MEMBERSHIP: Role.UNKNOWN,
        PlaceKind.SEARCHED: Role.UNKNOWN,
        PlaceKind.NAME: Role.UNKNOWN,
        PlaceKind.ENTRY: Role.UNKNOWN,
    },
)
"""Their names say all: a text that the table lists is one unless it is shown to a person."""


def variable_role(string: Node, ctx: Context) -> Role:
    """What a string that is a variable's name is used as: consumed where the environment is asked or changed
    by it, unknown where it may be, shown where it is not."""
    role = flow_of(VARIABLES, ctx).role_of_string(string).role
    return role if role in (Role.CONSUMED, Role.SHOWN) else Role.UNKNOWN


def given_value(string: Node) -> Node | None:
    """What a variable is set to where its name is, or what it counts as where it is read and not set."""
    return set_value(string) or _second_argument(string, _READS)


def set_value(string: Node) -> Node | None:
    """What a variable is set to where its name is, by assignment, call or dictionary."""
    parent = parent_of(string)
    if parent is None:
        return None
    if parent.type == "pair":
        return field(parent, "value")
    if parent.type == "subscript" and parent_type(parent) == "assignment":
        return field(parent_of(parent), "right") if is_field(parent, "left") else None
    return _second_argument(string, _SETS)


def _second_argument(string: Node, functions: tuple[str, ...]) -> Node | None:
    """What one of these functions is given behind a variable's name."""
    call = call_with(string)
    if call is None or last_name(call) not in functions:
        return None
    second = arguments_of(call).at(1)
    return second.value if second is not None else None


def setting_statement(string: Node) -> Node | None:
    """The statement that does nothing but set the variable whose name is in it."""
    parent = parent_of(string)
    holder = parent_of(parent)
    if parent is None or holder is None:
        return None
    sets = parent.type == "subscript" and holder.type == "assignment" and is_field(parent, "left")
    if parent.type == "argument_list":
        sets = last_name(holder) in _SETS
    statement = parent_of(holder)
    if not sets or statement is None or statement.type != "expression_statement":
        return None
    return statement
