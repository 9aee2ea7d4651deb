"""Texts that are run as commands: ``os.system('...')``, ``subprocess.run(['...'])``, and what is put together
for them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...text.syntax import arguments_of, field, is_field, last_name, outside_parentheses, same, text_of
from ...text.uses import uses_of_variable
from ..words import words_of

if TYPE_CHECKING:
    from ...engine.context import Context

MAX_DEPTH = 4
_SHELLS = frozenset({"system", "popen", "getoutput", "getstatusoutput", "create_subprocess_shell"})
_PROGRAMS = frozenset(
    {
        "Popen", "run", "call", "check_call", "check_output", "create_subprocess_exec", "execv", "execve",
        "execvp", "execlp", "execl", "spawnv", "spawnl", "spawnlp", "run_command", "execute_subprocess_async",
    }
)  # fmt: skip
_KEEPS = frozenset({"split", "join", "format", "strip", "quote", "list", "tuple", "str", "which"})
_GROWS = frozenset({"append", "extend", "insert"})
_WORDS = frozenset({"cmd", "cmds", "command", "commands", "argv", "cli", "script", "shell"})
_PASSES = frozenset(
    {
        "parenthesized_expression",
        "concatenated_string",
        "conditional_expression",
        "list",
        "tuple",
        "list_splat",
    }
)


class CommandUse(enum.Enum):
    """How sure it is that a text is run as a command, or as a part of one."""

    RUN = "run"
    NAMED = "named"
    """It goes by a name for a command; the file does not run it itself."""
    NONE = "none"


def command_use(string: Node, ctx: Context) -> CommandUse:
    """Whether a string is run as a command, or as a part of one."""
    return _CommandSearch(ctx).use(string, 0)


def is_program_call(call: Node) -> bool:
    """Whether a call runs a command, by a shell or without one."""
    return last_name(call) in _SHELLS or last_name(call) in _PROGRAMS


def is_run_by_shell(call: Node) -> bool:
    """Whether a call hands its text to a shell, which takes arguments in it."""
    if last_name(call) in _SHELLS:
        return True
    shell = arguments_of(call).keyword("shell")
    return shell is not None and text_of(shell.value) != "False"


class _CommandSearch:
    """Climbs from a text to the call that runs it."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._steps: dict[str, Callable[[Node, Node, int], CommandUse]] = {
            "binary_operator": lambda node, parent, depth: self.use(parent, depth),
            "interpolation": self._interpolation,
            "attribute": self._method,
            "argument_list": self._argument,
            "keyword_argument": self._keyword,
            "assignment": self._assigned,
            "augmented_assignment": self._assigned,
            "named_expression": self._assigned,
        }
        for kind in _PASSES:
            self._steps[kind] = lambda node, parent, depth: self.use(parent, depth)

    def use(self, node: Node, depth: int) -> CommandUse:
        """The use of an expression that holds the text."""
        parent = node.parent
        step = self._steps.get(parent.type) if parent is not None else None
        if parent is None or step is None or depth > MAX_DEPTH:
            return CommandUse.NONE
        return step(node, parent, depth)

    def _interpolation(self, node: Node, parent: Node, depth: int) -> CommandUse:
        return self.use(parent.parent, depth) if parent.parent is not None else CommandUse.NONE

    def _method(self, node: Node, parent: Node, depth: int) -> CommandUse:
        """``cmd.split()`` and ``'...'.format(x)`` keep the command; ``cmd.append(x)`` adds to it."""
        call = parent.parent
        if call is None or call.type != "call" or not is_field(parent, "function"):
            return CommandUse.NONE
        return self.use(call, depth) if last_name(call) in _KEEPS else CommandUse.NONE

    def _argument(self, node: Node, parent: Node, depth: int) -> CommandUse:
        call = parent.parent
        if call is None or call.type != "call":
            return CommandUse.NONE
        name, first = last_name(call), arguments_of(call).at(0)
        if name in _SHELLS or name in _PROGRAMS:
            is_first = first is not None and same(first.value, node)
            return (
                CommandUse.RUN
                if is_first or name.startswith(("create", "exec", "spawn"))
                else CommandUse.NONE
            )
        if name in _GROWS:
            function = field(call, "function")
            receiver = field(function, "object") if function is not None else None
            return self._named(receiver, depth) if receiver is not None else CommandUse.NONE
        return self.use(call, depth) if name in _KEEPS else CommandUse.NONE

    def _keyword(self, node: Node, parent: Node, depth: int) -> CommandUse:
        name, call = field(parent, "name"), parent.parent.parent if parent.parent is not None else None
        if name is None or call is None:
            return CommandUse.NONE
        if text_of(name) == "args" and last_name(call) in _PROGRAMS:
            return CommandUse.RUN
        return CommandUse.NAMED if text_of(name) in _WORDS else CommandUse.NONE

    def _assigned(self, node: Node, parent: Node, depth: int) -> CommandUse:
        target = field(parent, "left") or field(parent, "name")
        if target is None or same(target, node):
            return CommandUse.NONE
        return self._named(target, depth)

    def _named(self, target: Node, depth: int) -> CommandUse:
        """By what is done with the name that holds the command, or else by the name."""
        if target.type == "identifier" and self._is_run(target, depth):
            return CommandUse.RUN
        name = text_of(target).rpartition(".")[2]
        return CommandUse.NAMED if not _WORDS.isdisjoint(words_of(name)) else CommandUse.NONE

    def _is_run(self, target: Node, depth: int) -> bool:
        uses = uses_of_variable(target, self._ctx.source)
        return any(self.use(use, depth + 1) is CommandUse.RUN for use in uses)


def is_alone(string: Node) -> bool:
    """Whether a string is a whole command or a whole element of one, and not a part of a longer text."""
    parent = outside_parentheses(string).parent
    return parent is not None and parent.type not in (
        "concatenated_string",
        "binary_operator",
        "interpolation",
    )


def next_elements(string: Node) -> list[Node]:
    """What follows a string in the list that it is an element of."""
    parent = string.parent
    if parent is None or parent.type not in ("list", "tuple", "argument_list"):
        return []
    siblings = [child for child in parent.named_children if child.type not in ("comment", "keyword_argument")]
    return [child for child in siblings if child.start_byte > string.start_byte]


def previous_element(string: Node) -> Node | None:
    """What stands before a string in the list that it is an element of."""
    parent = string.parent
    if parent is None or parent.type not in ("list", "tuple", "argument_list"):
        return None
    before = string.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    return before
