"""Texts that are run as commands: ``os.system('...')``, ``subprocess.run(['...'])``, and what is put together
for them."""

from __future__ import annotations

import re

from tree_sitter import Node

from ...engine.context import Context
from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...text.syntax import (
    arguments_of,
    field,
    is_field,
    last_name,
    operator_of,
    outside_parentheses,
    passed_to,
    text_of,
)
from ..subject import SAYS, PlaceKind, Sink, Subject
from ..templates import plain_text
from ..verdicts import Role
from ..word_flow import flow_of
from ..words import names_text, words_of

_DEVICE = re.compile(r"(?:cuda|npu)(?::\d+)?")
_SHELLS = frozenset({"system", "popen", "getoutput", "getstatusoutput", "create_subprocess_shell"})
_BY_FILE = frozenset({"execv", "execve", "execvp", "execlp", "execl", "spawnv", "spawnl", "spawnlp"})
_BY_WORDS = frozenset({"create_subprocess_exec"})
_BY_LIST = frozenset(
    {"Popen", "run", "call", "check_call", "check_output", "run_command", "execute_subprocess_async"}
)
_PROGRAMS = _BY_FILE | _BY_WORDS | _BY_LIST
_KEEPS = frozenset({"split", "join", "format", "strip", "quote", "list", "tuple", "str", "which"})
_TRUTH = {"True": True, "1": True, "False": False, "0": False, "None": False}
_WORDS = frozenset({"cmd", "cmds", "command", "commands", "argv", "cli", "script", "shell"})


def is_program_call(call: Node) -> bool:
    """Whether a call runs a command, by a shell or without one."""
    return last_name(call) in _SHELLS or last_name(call) in _PROGRAMS


def takes_words(call: Node) -> bool:
    """Whether a call is given a command as one argument for each word."""
    return last_name(call) in _BY_WORDS


def takes_file(call: Node) -> bool:
    """Whether a call is given the file of a program apart from the words of its command."""
    return last_name(call) in _BY_FILE


def is_run_by_shell(call: Node) -> bool | None:
    """Whether a call hands its text to a shell, which takes arguments in it; ``None`` where that depends on
    a value which is not known, or on arguments that are unpacked."""
    if last_name(call) in _SHELLS:
        return True
    arguments = arguments_of(call)
    shell = arguments.keyword("shell")
    if shell is None:
        return None if arguments.unpacked else False
    return _TRUTH.get(text_of(shell.value))


def _names_command(name: str) -> bool:
    return not _WORDS.isdisjoint(words_of(name))


def _is_any(text: str) -> bool:
    return True


def _sink(name: str) -> Sink:
    return Sink(0, ("args",), everywhere=name.startswith(("create", "exec", "spawn")))


COMMANDS = Subject(
    name="commands",
    is_text=_is_any,
    names=_names_command,
    part_counts=True,
    called={name: _sink(name) for name in _SHELLS | _PROGRAMS},
    keeps=_KEEPS,
    of_torch=False,
    shown_by=SAYS,
    named=Role.NAMED,
    named_list=Role.NAMED,
    otherwise={PlaceKind.ELSEWHERE: Role.UNKNOWN, PlaceKind.NAMED_ENTRY: Role.NAMED},
)


_SETS_AND_STARTS = re.compile(
    r"\s*(?:env\s+)?(?:[A-Z][A-Z0-9_]*=\S*\s+)+(?:python[\d.]*|torchrun|deepspeed|accelerate|bash|sh)\s"
)
"""A text that sets variables and starts a program with them is a command, whatever becomes of it."""


def command_role(string: Node, ctx: Context) -> Role:
    """Whether a string is run as a command or as a part of one (:attr:`Role.CONSUMED`), goes by a name for
    commands or has the form of one (:attr:`Role.NAMED`), or neither (:attr:`Role.SHOWN`)."""
    role = flow_of(COMMANDS, ctx).role_of_string(string).role
    passed = passed_to(string)
    is_label = passed is not None and names_text(passed.argument.keyword or "")
    if (
        role is Role.UNKNOWN
        and not is_label
        and _SETS_AND_STARTS.match(text_of(string).lstrip("rbfuRBFU").lstrip("\"'"))
    ):
        return Role.NAMED
    return role if role in (Role.CONSUMED, Role.NAMED) else Role.SHOWN


def is_alone(string: Node) -> bool:
    """Whether a string is a whole command or a whole element of one, and not a part of a longer text."""
    parent = parent_of(outside_parentheses(string))
    return parent is not None and parent.type not in (
        "concatenated_string",
        "binary_operator",
        "interpolation",
    )


def next_elements(string: Node) -> list[Node]:
    """What follows a string in the list that it is an element of."""
    parent = parent_of(string)
    if parent is None or parent.type not in ("list", "tuple", "argument_list"):
        return []
    siblings = [child for child in parent.named_children if child.type not in ("comment", "keyword_argument")]
    return [child for child in siblings if child.start_byte > string.start_byte]


def element_of(string: Node) -> Node:
    """The element of a list that a string begins: it, or ``'cuda:' + str(i)`` and ``'cuda:%d' % i``, unless
    that has other texts too, such as a second device."""
    node = string
    while (parent := parent_of(node)) is not None:
        call = (
            parent_of(parent) if parent.type == "attribute" and text_of(parent).endswith(".format") else None
        )
        if call is not None and call.type == "call":
            node = call
        elif is_field(node, "left") and operator_of(parent) in ("+", "%") and not _has_text(parent):
            node = parent
        else:
            break
    return node


def _has_text(joined: Node) -> bool:
    """Whether what a text is joined with is another text, or has one."""
    right = field(joined, "right")
    return right is not None and any(node.type == "string" for node in nodes_in(right))


def option_before(string: Node) -> str:
    """The option of a command as a list that a string, or the devices before it and it, are given to."""
    before = previous_element(element_of(string))
    while before is not None and _DEVICE.fullmatch(plain_text(before) or ""):
        before = previous_element(before)
    return plain_text(before) or "" if before is not None else ""


def previous_element(string: Node) -> Node | None:
    """What comes before a string in the list that it is an element of."""
    parent = parent_of(string)
    if parent is None or parent.type not in ("list", "tuple", "argument_list"):
        return None
    before = string.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    return before
