"""Changes to the callee and the arguments of a call.

The plan's steps are done in order: ``(verb, operand)``.

=================  ==========================  ====================================================
verb               operand                     effect
=================  ==========================  ====================================================
``callee``         code                        call this instead
``set``            ``name=code``               set a keyword, or add it at the end
``drop``           ``name``                    remove a keyword, if it is there
``name``           ``index=name``              give the positional argument at an index by name
``put``            ``index=code``              replace the positional argument at an index
``remove``         ``index``                   remove the positional argument at an index
=================  ==========================  ====================================================

Keywords are added before ``**kwargs``, in the call's own layout: a call that breaks after each
argument gets the new one on a separate line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from .declined import RewriteDeclined
from .snippet import ExpressionChange

_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def change_call(steps: tuple[tuple[str, str], ...]) -> ExpressionChange:
    """A change that does the steps on a call.
    Raises RewriteDeclined: when it is run on what is no call, or has no such argument."""

    verbs = [(_VERBS[verb], operand) for verb, operand in steps]

    def change(expression: cst.BaseExpression) -> cst.BaseExpression:
        if not isinstance(expression, cst.Call):
            raise RewriteDeclined("not a call")
        call = expression
        for verb, operand in verbs:
            call = verb(call, operand)
        return call

    return change


def _split(operand: str) -> tuple[str, str]:
    name, _, code = operand.partition("=")
    return name, code


def _callee(call: cst.Call, code: str) -> cst.Call:
    return call.with_changes(func=cst.parse_expression(code))


def _set(call: cst.Call, operand: str) -> cst.Call:
    name, code = _split(operand)
    value = cst.parse_expression(code)
    for index, argument in enumerate(call.args):
        if _keyword(argument) == name:
            return _with_argument(call, index, argument.with_changes(value=value))
    return _added(call, cst.Arg(value, cst.Name(name), equal=_EQUAL))


def _drop(call: cst.Call, name: str) -> cst.Call:
    for index, argument in enumerate(call.args):
        if _keyword(argument) == name:
            return _without(call, index)
    return call


def _name(call: cst.Call, operand: str) -> cst.Call:
    position, name = _split(operand)
    index = _positional(call, int(position))
    if any(item.keyword is None and item.star != "**" for item in call.args[index + 1 :]):
        raise RewriteDeclined("a positional argument would follow a named one")
    named = call.args[index].with_changes(keyword=cst.Name(name), equal=_EQUAL)
    return _with_argument(call, index, named)


def _put(call: cst.Call, operand: str) -> cst.Call:
    position, code = _split(operand)
    index = _positional(call, int(position))
    value = cst.parse_expression(code)
    return _with_argument(call, index, call.args[index].with_changes(value=value))


def _remove(call: cst.Call, position: str) -> cst.Call:
    return _without(call, _positional(call, int(position)))


def _without(call: cst.Call, index: int) -> cst.Call:
    """The call without one argument.
    Raises RewriteDeclined: a comment behind the argument, or before the last one, would go too."""
    is_last = index + 1 == len(call.args)
    if any(_has_comment_behind(item) for item in call.args[max(0, index - is_last) : index + 1]):
        raise RewriteDeclined("a comment would be lost")
    return _relaid(call, [*call.args[:index], *call.args[index + 1 :]])


def _has_comment_behind(argument: cst.Arg) -> bool:
    spaces = [argument.whitespace_after_arg]
    if isinstance(argument.comma, cst.Comma):
        spaces.append(argument.comma.whitespace_after)
    return any("#" in cst.Module([]).code_for_node(space) for space in spaces)


def _keyword(argument: cst.Arg) -> str | None:
    return argument.keyword.value if argument.keyword is not None else None


def _positional(call: cst.Call, position: int) -> int:
    """The index among all arguments of the n-th positional one."""
    for index, argument in enumerate(call.args):
        if argument.star or argument.keyword is not None:
            break
        if index == position:
            return index
    raise RewriteDeclined(f"no positional argument {position}")


def _with_argument(call: cst.Call, index: int, argument: cst.Arg) -> cst.Call:
    return call.with_changes(args=[*call.args[:index], argument, *call.args[index + 1 :]])


def _added(call: cst.Call, argument: cst.Arg) -> cst.Call:
    """The call with one more keyword, before any ``**kwargs``, laid out as the others are."""
    args = list(call.args)
    index = len(args)
    while index and args[index - 1].star == "**":
        index -= 1
    if index < len(args):
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        return call.with_changes(args=[*args[:index], argument.with_changes(comma=comma), *args[index:]])
    if not args:
        return call.with_changes(args=[argument])
    last = args[-1]
    separator = _separator(args)
    ends_with_comma = isinstance(last.comma, cst.Comma)
    args[-1] = last.with_changes(comma=separator, whitespace_after_arg=cst.SimpleWhitespace(""))
    added = argument.with_changes(
        comma=last.comma if ends_with_comma else cst.MaybeSentinel.DEFAULT,
        whitespace_after_arg=last.whitespace_after_arg,
    )
    return call.with_changes(args=[*args, added])


def _separator(args: Sequence[cst.Arg]) -> cst.Comma:
    """The comma between the arguments of a call, with the line break that follows it there."""
    if len(args) > 1 and isinstance(args[-2].comma, cst.Comma):
        space = args[-2].comma.whitespace_after
        if isinstance(space, cst.ParenthesizedWhitespace):
            plain = cst.TrailingWhitespace(newline=space.first_line.newline)
            space = space.with_changes(first_line=plain, empty_lines=[])
        return cst.Comma(whitespace_after=space)
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _relaid(call: cst.Call, kept: list[cst.Arg]) -> cst.Call:
    """The call with some arguments gone: the new last one ends as the old last one did."""
    if kept and call.args and kept[-1] is not call.args[-1]:
        last = call.args[-1]
        kept[-1] = kept[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    return call.with_changes(args=kept)


_VERBS: dict[str, Callable[[cst.Call, str], cst.Call]] = {
    "callee": _callee,
    "set": _set,
    "drop": _drop,
    "name": _name,
    "put": _put,
    "remove": _remove,
}
