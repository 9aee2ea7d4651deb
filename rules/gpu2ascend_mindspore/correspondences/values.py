"""What becomes of the value of an argument: the functions that a table's expressions may use.

Each is given the text of the value and answers the text that is written. One that cannot know the answer
raises :class:`Refused`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from decimal import Decimal, InvalidOperation


class Refused(Exception):
    """There is no call that is known to mean the same.

    The arguments are the reason, a message id, and the parameter that it concerns, if it is one.
    """


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise Refused("not-literal") from error


def complement(text: str) -> str:
    """``1 - value``: momenta of running averages are given as the share of the old or of the new value."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        if text == "None":
            raise Refused("no-counterpart") from None
        return f"1 - {text}" if _is_atom(text) else f"1 - ({text})"
    return str((1 - number).normalize()) if number else "1.0"


def doubled(text: str) -> str:
    """``(a, b)`` as ``(a, a, b, b)``: the same padding before and behind each dimension."""
    value = _tree(text)
    if isinstance(value, (ast.Tuple, ast.List)):
        return f"({', '.join(ast.unparse(one) for one in value.elts for _ in range(2))})"
    return text


def one_dimension(text: str) -> str:
    """A shape of one dimension: ``8`` as ``(8,)``. What is a sequence under a name raises there."""
    value = _tree(text)
    if not isinstance(value, (ast.Tuple, ast.List)):
        return f"({text},)"
    if len(value.elts) == 1:
        return text
    raise Refused("no-counterpart")


def is_tanh(text: str) -> str:
    """The name of an approximation as whether it is that by ``tanh``."""
    value = _literal(text)
    if value not in ("none", "tanh"):
        raise Refused("no-counterpart")
    return str(value == "tanh")


def degrees_of_freedom(text: str) -> str:
    """``unbiased`` as the number that is taken from the count."""
    return {"True": "1", "False": "0"}.get(text) or f"int({text})"


def as_float(text: str) -> str:
    """A number as a float: ``2`` as ``2.0``."""
    try:
        value = _literal(text)
    except Refused:
        return f"float({text})"
    if value is None:
        return text
    if isinstance(value, (int, float)):
        return repr(float(value))
    raise Refused("no-counterpart")


def whole(text: str) -> str:
    """A number as an integer: ``1.0`` as ``1``."""
    value = _literal(text)
    if isinstance(value, (int, float)) and value == int(value):
        return str(int(value))
    raise Refused("no-counterpart")


def _tree(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise Refused("not-literal") from error


def _is_atom(text: str) -> bool:
    return isinstance(_tree(text), (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript))


VALUES: dict[str, Callable[[str], str]] = {
    function.__name__: function
    for function in (complement, doubled, one_dimension, is_tanh, degrees_of_freedom, as_float, whole)
}
"""The functions by the names that tables use."""
