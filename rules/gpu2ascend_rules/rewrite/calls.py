"""Changes to the callee and the arguments of a call.

The plan's steps are done in order: ``(verb, operand)``.

=================  ==========================  ====================================================
verb               operand                     effect
=================  ==========================  ====================================================
``callee``         code                        call this instead
``set``            ``name=code``               set a keyword, or add it at the end
``drop``           ``name``                    remove a keyword, if it is there
``rename``         ``old=new``                 rename a keyword, if it is there
``name``           ``index=name``              give the positional argument at an index by name
``put``            ``index=code``              replace the positional argument at an index
``prepend``        code                        a new first positional argument
``remove``         ``index``                   remove the positional argument at an index
=================  ==========================  ====================================================

Keywords are added before ``**kwargs``, in the call's own layout: a call that breaks after each
argument gets the new one on a separate line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ..text.source_file import SourceFile
from ..text.syntax import field, text_of
from .declined import RewriteDeclined

Steps = Sequence[tuple[str, str]]

_BREAK = re.compile(r"(?:[ \t\f]|\\\r?\n)*(?:#[^\r\n]*)?(\r\n|\r|\n)(?:.*[\r\n])?", re.S)
"""The space behind a comma up to the line of the next argument."""
_UNPACKS = {"list_splat": "*", "dictionary_splat": "**"}


class _Argument(NamedTuple):
    """An argument with what is behind it, up to the next one or the end of the call."""

    value: str
    keyword: str = ""
    equal: str = "="
    star: str = ""
    comma: str = ""
    """With what is before it; empty where there is none."""
    space: str = ""

    @property
    def code(self) -> str:
        """It as it is written."""
        name = f"{self.keyword}{self.equal}" if self.keyword else ""
        return f"{name}{self.value}{self.comma}{self.space}"


class _Call(NamedTuple):
    """A call in its parts."""

    callee: str
    opening: str
    """The parenthesis, with the space around it."""
    arguments: tuple[_Argument, ...]

    @property
    def code(self) -> str:
        """It as it is written."""
        return f"{self.callee}{self.opening}{''.join(item.code for item in self.arguments)})"


def changed_call(source: SourceFile, call: Node | None, steps: Steps) -> str:
    """The text of a call after steps.
    Raises RewriteDeclined: it is no call, could not be parsed, or has no such argument."""
    if call is None or call.type != "call" or call.has_error:
        raise RewriteDeclined("not a call")
    parts = _parts_of(source, call)
    for verb, operand in steps:
        parts = _VERBS[verb](parts, operand)
    return parts.code


def _parts_of(source: SourceFile, call: Node) -> _Call:
    callee, given = field(call, "function"), field(call, "arguments")
    if callee is None or given is None:
        raise RewriteDeclined("not a call")
    found = list(_arguments_in(source, given))
    commas = [item.end_byte for item in given.children if item.type == ","]
    starts = [*(start for start, _, _ in found), given.end_byte - 1]
    arguments = []
    for index, (_, end, argument) in enumerate(found):
        comma = commas[index] if index < len(commas) else end
        behind = {"comma": source.slice(end, comma), "space": source.slice(comma, starts[index + 1])}
        arguments.append(argument._replace(**behind))
    opening = source.slice(callee.end_byte, starts[0])
    return _Call(source.slice(callee.start_byte, callee.end_byte), opening, tuple(arguments))


def _arguments_in(source: SourceFile, given: Node) -> Iterator[tuple[int, int, _Argument]]:
    """The arguments, each with its place."""
    nodes = [item for item in given.named_children if item.type != "comment"]
    if given.type == "generator_expression":  # in the parentheses of the call
        start, end = nodes[0].start_byte, nodes[-1].end_byte
        yield start, end, _Argument(source.slice(start, end))
        return
    for node in nodes:
        start, end = node.start_byte, node.end_byte
        name, value = field(node, "name"), field(node, "value")
        if node.type == "keyword_argument" and name is not None and value is not None:
            between = source.slice(name.end_byte, value.start_byte)
            yield start, end, _Argument(source.slice(value.start_byte, end), text_of(name), between)
        else:
            yield start, end, _Argument(source.slice(start, end), star=_UNPACKS.get(node.type, ""))


def _split(operand: str) -> tuple[str, str]:
    name, _, code = operand.partition("=")
    return name, code


def _callee(call: _Call, code: str) -> _Call:
    return call._replace(callee=code)


def _set(call: _Call, operand: str) -> _Call:
    name, code = _split(operand)
    for index in _named(call, name):
        return _with_argument(call, index, call.arguments[index]._replace(value=code))
    return _added(call, _Argument(code, name))


def _drop(call: _Call, name: str) -> _Call:
    return next((_without(call, index) for index in _named(call, name)), call)


def _rename(call: _Call, operand: str) -> _Call:
    old, new = _split(operand)
    for index in _named(call, old):
        return _with_argument(call, index, call.arguments[index]._replace(keyword=new))
    return call


def _name(call: _Call, operand: str) -> _Call:
    position, name = _split(operand)
    index = _positional(call, int(position))
    if any(not (item.star or item.keyword) for item in call.arguments[index + 1 :]):
        raise RewriteDeclined("a positional argument behind a named one")
    return _with_argument(call, index, call.arguments[index]._replace(keyword=name))


def _put(call: _Call, operand: str) -> _Call:
    position, code = _split(operand)
    index = _positional(call, int(position))
    return _with_argument(call, index, call.arguments[index]._replace(value=code))


def _prepend(call: _Call, code: str) -> _Call:
    first = _Argument(code, comma=",", space=" ") if call.arguments else _Argument(code)
    return call._replace(arguments=(first, *call.arguments))


def _remove(call: _Call, position: str) -> _Call:
    return _without(call, _positional(call, int(position)))


def _without(call: _Call, index: int) -> _Call:
    """The call without one argument; the new last one ends as the old last one did.
    Raises RewriteDeclined: a comment behind the argument, or before the last one, would go too."""
    arguments = call.arguments
    is_last = index + 1 == len(arguments)
    if any("#" in item.comma + item.space for item in arguments[max(0, index - is_last) : index + 1]):
        raise RewriteDeclined("a comment would be lost")
    kept = [*arguments[:index], *arguments[index + 1 :]]
    if kept and is_last:
        kept[-1] = kept[-1]._replace(comma=arguments[-1].comma, space=arguments[-1].space)
    return call._replace(arguments=tuple(kept))


def _named(call: _Call, name: str) -> Iterator[int]:
    return (index for index, argument in enumerate(call.arguments) if argument.keyword == name)


def _positional(call: _Call, position: int) -> int:
    """The index among all arguments of the n-th positional one."""
    for index, argument in enumerate(call.arguments):
        if argument.star or argument.keyword:
            break
        if index == position:
            return index
    raise RewriteDeclined(f"no positional argument {position}")


def _with_argument(call: _Call, index: int, argument: _Argument) -> _Call:
    before, after = call.arguments[:index], call.arguments[index + 1 :]
    return call._replace(arguments=(*before, argument, *after))


def _added(call: _Call, argument: _Argument) -> _Call:
    """The call with one more keyword, before any ``**kwargs``, laid out as the others are."""
    args = list(call.arguments)
    index = len(args)
    while index and args[index - 1].star == "**":
        index -= 1
    if index < len(args):
        args.insert(index, argument._replace(comma=",", space=" "))
    elif args:
        last = args[-1]
        args[-1] = last._replace(comma=",", space=_space_between(args))
        args.append(argument._replace(comma=last.comma, space=last.space))
    else:
        args.append(argument)
    return call._replace(arguments=tuple(args))


def _space_between(args: Sequence[_Argument]) -> str:
    """The space behind a comma between the arguments of a call, with the line break that is there."""
    space = args[-2].space if len(args) > 1 else " "
    broken = _BREAK.match(space)
    return space if broken is None else broken[1] + space[broken.end() :]


_VERBS: dict[str, Callable[[_Call, str], _Call]] = {
    "callee": _callee,
    "set": _set,
    "drop": _drop,
    "rename": _rename,
    "name": _name,
    "put": _put,
    "prepend": _prepend,
    "remove": _remove,
}
