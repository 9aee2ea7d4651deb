"""What a call of a formula is given: a call that is given more, or may be, is not taken apart."""

from __future__ import annotations

from tree_sitter import Node

from ...text.syntax import Arguments

BY_POSITION = ""
"""Stands for a parameter whose name is not known, or differs from function to function."""


def exactly(arguments: Arguments, *parameters: str) -> tuple[Node, ...] | None:
    """The values of parameters, in their order, if a call gives each of them and nothing else.

    Args:
        arguments: The arguments of the call. What is unpacked may hold any argument, so there is no answer.
        parameters: The names of the first parameters of what is called, or ``BY_POSITION``.
    """
    found = [arguments.get(name, at) for at, name in enumerate(parameters)]
    values = tuple(item.value for item in found if item is not None)
    is_all = not arguments.unpacked and len(values) == len(parameters) == len(arguments.items)
    return values if is_all else None
