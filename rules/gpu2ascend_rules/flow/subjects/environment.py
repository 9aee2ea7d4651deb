"""Environment variables: what becomes of each, and where a file speaks of one."""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ...data import load_tsv
from ...model.versions import Version, choose_version
from ...text.syntax import arguments_of, field, is_field, last_name, same, text_of, without_parentheses
from ...text.uses import uses_of_variable
from ..words import words_of

if TYPE_CHECKING:
    from ...engine.context import Context

MAX_DEPTH = 4
_ALWAYS = frozenset({"getenv", "putenv", "unsetenv", "setenv", "delenv", "environb"})
_ITEMS = frozenset({"get", "pop", "setdefault", "__contains__", "__getitem__", "__setitem__"})
_SAYS = frozenset(
    {
        "print", "info", "debug", "warning", "warn", "error", "critical", "exception", "log", "write",
        "format", "add_argument", "skip", "skipif",
    }
)  # fmt: skip
_ENVIRONMENT_WORDS = frozenset({"env", "envs", "environ", "environment", "envvars", "osenv"})


class Variable(NamedTuple):
    """What becomes of an environment variable for one torch version."""

    name: str
    treatment: str
    """``rename``, ``similar``, ``drop``, ``ignored``, ``advise`` or ``keep``."""
    target: str
    advice: str


class VariableUse(enum.Enum):
    """How sure it is that a text names an environment variable."""

    CERTAIN = "certain"
    POSSIBLE = "possible"
    NONE = "none"


@lru_cache(maxsize=512)
def variable_for(name: str, version: Version) -> Variable | None:
    """The table's entry for a variable; ``None`` for one that is not listed, or not for the version."""
    best: Variable | None = None
    longest = -1
    for row in load_tsv("environment"):
        pattern = row["variable"]
        matches = name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
        weight = len(pattern) + (0 if pattern.endswith("*") else 1000)
        if matches and weight > longest and _holds(row, version):
            best, longest = Variable(name, row["treatment"], row["target"], row["advice"]), weight
    return best


def _holds(row: dict[str, str], version: Version) -> bool:
    since = choose_version(row["since"]).version if row["since"] else None
    until = choose_version(row["until"]).version if row["until"] else None
    return (since is None or version[:2] >= since[:2]) and (until is None or version[:2] <= until[:2])


def variable_use(string: Node, ctx: Context) -> VariableUse:
    """Whether a string that is a variable's name stands where the environment is asked or changed."""
    return _VariableSearch(ctx).place(string, 0)


def is_environment(expression: Node, ctx: Context) -> bool:
    """Whether an expression is the environment, a copy of it, or goes by a name for one."""
    node = without_parentheses(expression)
    if node.type == "call":
        function = field(node, "function")
        inner = [item.value for item in arguments_of(node).items]
        if last_name(node) == "copy" and function is not None:
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


class _VariableSearch:
    """Climbs from a text to the place that tells."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._steps: dict[str, Callable[[Node, Node, int], VariableUse]] = {
            "subscript": self._subscript,
            "argument_list": self._argument,
            "keyword_argument": lambda node, parent, depth: VariableUse.POSSIBLE,
            "comparison_operator": self._compared,
            "pair": self._pair,
            "assignment": self._assigned,
            "default_parameter": self._default,
            "typed_default_parameter": self._default,
            "parenthesized_expression": lambda node, parent, depth: self.place(parent, depth),
            "list": lambda node, parent, depth: VariableUse.POSSIBLE,
            "tuple": lambda node, parent, depth: VariableUse.POSSIBLE,
            "set": lambda node, parent, depth: VariableUse.POSSIBLE,
        }

    def place(self, node: Node, depth: int) -> VariableUse:
        """How sure it is that the text which an expression has names a variable."""
        parent = node.parent
        step = self._steps.get(parent.type) if parent is not None else None
        if parent is None or step is None or depth > MAX_DEPTH:
            return VariableUse.NONE
        return step(node, parent, depth)

    def _subscript(self, node: Node, parent: Node, depth: int) -> VariableUse:
        value = field(parent, "value")
        if value is None or same(value, node):
            return VariableUse.NONE
        return VariableUse.CERTAIN if is_environment(value, self._ctx) else VariableUse.POSSIBLE

    def _argument(self, node: Node, parent: Node, depth: int) -> VariableUse:
        call = parent.parent
        if call is None or call.type != "call":
            return VariableUse.NONE
        name, first = last_name(call), arguments_of(call).at(0)
        is_first = first is not None and same(first.value, node)
        if name in _ALWAYS and is_first:
            return VariableUse.CERTAIN
        function = field(call, "function")
        receiver = field(function, "object") if function is not None else None
        if name in _ITEMS and is_first and receiver is not None and is_environment(receiver, self._ctx):
            return VariableUse.CERTAIN
        if name in _SAYS or name.endswith(("Error", "Exception", "Warning")):
            return VariableUse.NONE
        if is_first and not _ENVIRONMENT_WORDS.isdisjoint(words_of(name)):
            return VariableUse.CERTAIN
        return VariableUse.POSSIBLE

    def _compared(self, node: Node, parent: Node, depth: int) -> VariableUse:
        others = [part for part in parent.named_children if not same(part, node)]
        return (
            VariableUse.CERTAIN
            if any(is_environment(other, self._ctx) for other in others)
            else VariableUse.POSSIBLE
        )

    def _pair(self, node: Node, pair: Node, depth: int) -> VariableUse:
        if not is_field(node, "key") or pair.parent is None or pair.parent.type != "dictionary":
            return VariableUse.POSSIBLE
        return VariableUse.CERTAIN if self._is_environment_dictionary(pair.parent) else VariableUse.POSSIBLE

    def _is_environment_dictionary(self, dictionary: Node) -> bool:
        """Whether a dictionary goes where environments go: ``env=``, ``environ.update()``, a name for one."""
        splats = (child for child in dictionary.named_children if child.type == "dictionary_splat")
        if any(
            is_environment(splat.named_children[0], self._ctx) for splat in splats if splat.named_children
        ):
            return True
        parent = dictionary.parent
        if parent is None:
            return False
        if parent.type in ("keyword_argument", "assignment", "pair"):
            target = field(parent, "name") or field(parent, "left") or field(parent, "key")
            name = text_of(target).strip("'\"").rpartition(".")[2] if target is not None else ""
            return _is_environment_name(name)
        call = parent.parent if parent.type == "argument_list" else None
        return call is not None and call.type == "call" and self._changes_environment(call)

    def _changes_environment(self, call: Node) -> bool:
        """``environ.update(...)`` and ``patch.dict(environ, ...)``."""
        function = field(call, "function")
        receiver = field(function, "object") if function is not None else None
        if receiver is not None and last_name(call) == "update" and is_environment(receiver, self._ctx):
            return True
        given = [item.value for item in arguments_of(call).items]
        return last_name(call) == "dict" and any(
            is_environment(item, self._ctx) or text_of(item).strip("'\"") == "os.environ" for item in given
        )

    def _assigned(self, node: Node, statement: Node, depth: int) -> VariableUse:
        target = field(statement, "left")
        if target is None or target.type != "identifier" or not is_field(node, "right"):
            return VariableUse.POSSIBLE
        return self._by_uses(target, depth)

    def _default(self, node: Node, parameter: Node, depth: int) -> VariableUse:
        name = field(parameter, "name")
        return self._by_uses(name, depth) if name is not None else VariableUse.POSSIBLE

    def _by_uses(self, target: Node, depth: int) -> VariableUse:
        """A constant names a variable for certain when some use of it does."""
        places = (self.place(use, depth + 1) for use in uses_of_variable(target, self._ctx.source))
        return VariableUse.CERTAIN if VariableUse.CERTAIN in places else VariableUse.POSSIBLE


def given_value(string: Node) -> Node | None:
    """What a variable is set to where its name stands, by assignment, call or dictionary."""
    parent = string.parent
    if parent is None:
        return None
    if parent.type == "pair":
        return field(parent, "value")
    if parent.type == "subscript" and parent.parent is not None and parent.parent.type == "assignment":
        return field(parent.parent, "right") if is_field(parent, "left") else None
    call = parent.parent if parent.type == "argument_list" else None
    if call is None or last_name(call) not in ("setdefault", "putenv", "setenv", "get", "getenv"):
        return None
    second = arguments_of(call).at(1)
    return second.value if second is not None else None


def setting_statement(string: Node) -> Node | None:
    """The statement that does nothing but set the variable whose name stands in it."""
    parent = string.parent
    holder = parent.parent if parent is not None else None
    if parent is None or holder is None:
        return None
    sets = parent.type == "subscript" and holder.type == "assignment" and is_field(parent, "left")
    if parent.type == "argument_list":
        sets = last_name(holder) in ("setdefault", "putenv", "setenv")
    statement = holder.parent
    if not sets or statement is None or statement.type != "expression_statement":
        return None
    return statement
