"""Where the values of environment variables enter a program."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.parents import parent_of
from ....text.syntax import arguments_of, call_of, chain_from_root, field
from ...names.files import ProgramFile
from ...templates import plain_text
from ..values import Value

_ROOTS = ("os", "environ", "getenv")
_MAPPING = "os.environ"
OPTION_BY_VARIABLE = ("envvar", "env_var")
"""The keywords by which click and configargparse name the variables of an option: one, or a list."""
_READERS = frozenset({"os.getenv", "os.environ.get", "os.environ.setdefault", "os.environ.pop"})


def read(file: ProgramFile, name: str) -> Iterator[Value]:
    """The expressions of a file that read an environment variable."""
    if not file.source.has(name.encode()):
        return
    for root in _ROOTS:
        for use in file.source.names.references(root):
            node = chain_from_root(use).node
            found = file.source.names.name_of(node)
            reading = _reading(node, found, name) if found else None
            if reading is not None:
                yield Value(file, reading)


def options(file: ProgramFile, name: str) -> Iterator[Value]:
    """The calls of a file that declare an option which takes its value from an environment variable, too."""
    for keyword in OPTION_BY_VARIABLE:
        for identifier in file.source.identifiers(keyword) if file.source.has(name.encode()) else ():
            argument = parent_of(identifier)
            call = parent_of(parent_of(argument))
            if call is not None and call.type == "call" and name in variables_of(call):
                yield Value(file, call)


def variables_of(call: Node) -> tuple[str, ...]:
    """The environment variables that give the option of a call its value."""
    given = filter(None, map(arguments_of(call).keyword, OPTION_BY_VARIABLE))
    strings = (part for item in given for part in (item.value, *item.value.named_children))
    return tuple(filter(None, map(plain_text, strings)))


def _reading(node: Node, qualified_name: str, variable: str) -> Node | None:
    """The call or subscript by which a function or mapping of the environment gives a variable."""
    call, holder = call_of(node), parent_of(node)
    if call is not None and qualified_name in _READERS:
        given = arguments_of(call).unnamed
        return call if given and plain_text(given[0].value) == variable else None
    if qualified_name == _MAPPING and holder is not None and holder.type == "subscript":
        return holder if plain_text(field(holder, "subscript")) == variable else None
    return None
