"""The values that a service puts in for a name: those of a matrix of jobs, and variables set with it.

GitHub and Azure call it ``strategy.matrix``, GitLab ``parallel.matrix``, CircleCI ``matrix.parameters``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...text.parts.part import moved
from ..packages.places import Index, Requirement
from ..settings import text_of
from ..shell.installs import installs_of
from ..shell.nodes import descendants
from ..shell.places import Command, ShellPlace, Word
from ..shell.reading import word_of
from ..shell.script import parsed
from ..yaml.values import Scalar

_OF_MATRIX = re.compile(r"\$\{\{\s*matrix\.([\w.-]+)\s*\}\}")
_OTHERS = re.compile(
    r"\$\{\{\s*(?:env|parameters|variables|inputs)\.([\w-]+)\s*\}\}|\$\{(\w+)\}|\$(\w+)|\$\((\w+)\)"
    r"|<<\s*parameters\.([\w-]+)\s*>>"
)
_VARIABLES = frozenset({"variables", "env"})
_STEPS = 3
"""How often a value may refer to another."""


class Value(NamedTuple):
    """A text that is put in; the span is that without quotes."""

    start: int
    end: int
    text: str
    keys: tuple[str, ...]
    """Of its scalar."""


class _Named(NamedTuple):
    scope: tuple[str, ...]
    """The keys of the job that it holds for."""
    path: str
    value: Value


class Matrix:
    """What replaces the names that commands and images of a file hold."""

    def __init__(self, scalars: Iterable[Scalar]) -> None:
        self._named = [named for scalar in scalars for named in _named(scalar)]

    def values(self, written: str, keys: tuple[str, ...], steps: int = _STEPS) -> Iterator[Value]:
        """The texts that replace one that is nothing but a name.

        Args:
            written: The text, such as ``${{ matrix.device }}``, also between quotes.
            keys: Those of the scalar that holds it.
            steps: How many names may lead to a value.
        """
        written = written.strip("\"'")
        of_matrix, other = _OF_MATRIX.fullmatch(written), _OTHERS.fullmatch(written)
        if (of_matrix is None and other is None) or not steps:
            return
        name = of_matrix[1] if of_matrix is not None else next(filter(None, other.groups())) if other else ""
        for named in self._named:
            known = named.path if of_matrix is not None else named.path.rpartition(".")[2]
            shared = min(len(named.scope), len(keys) - 1)  # what is at the top is for every job
            if known != name or keys[:shared] != named.scope[:shared]:
                continue
            inner = list(self.values(named.value.text, named.value.keys, steps - 1))
            yield from inner or ([named.value] if "$" not in named.value.text else [])

    def commands(self, command: Command, written: str, keys: tuple[str, ...]) -> Iterator[ShellPlace]:
        """A command with each value in the place of its name, and what the values make it install.

        Args:
            command: As it is in the file.
            written: The text of the file from the start of the command.
            keys: Those of the scalar that holds it.
        """
        data = written.encode("utf-8", "surrogatepass")
        for index, word in enumerate(command.words):
            raw = data[word.start - command.start : word.end - command.start].decode("utf-8", "replace")
            option, equals, rest = raw.partition("=") if raw.startswith("-") else ("", "", raw)
            for value in self.values(rest, keys):
                head = (
                    (word._replace(end=word.start + len(option), text=option, raw=option),) if equals else ()
                )
                words = (*command.words[:index], *head, *_words(value), *command.words[index + 1 :])
                filled = command._replace(words=tuple(words))
                yield filled
                yield from (_apart(place) for place in installs_of(filled) if _is_in(place, value))


def _named(scalar: Scalar) -> Iterator[_Named]:
    keys = scalar.keys
    text = text_of(scalar.node)
    if scalar.node.type == "block_scalar":
        return
    is_quoted = text[:1] in "'\"" and len(text) > 1
    inner = text[1:-1] if is_quoted else text
    value = Value(scalar.node.start_byte + is_quoted, scalar.node.end_byte - is_quoted, inner, keys)
    for at, key in enumerate(keys):
        names = [name for name in keys[at + 1 :] if name != "[]"]
        if key == "matrix" and names and names[0] != "exclude":
            if names[0] == "parameters":  # those of jobs elsewhere
                yield _Named((), ".".join(names[1:]), value)
            else:
                path = names[1:] if names[0] in ("include", "[]") else names
                yield _Named(keys[: max(at - 1, 0)], ".".join(path), value)
        elif key in _VARIABLES and len(names) == 1:
            yield _Named(keys[:at], names[0], value)


def _words(value: Value) -> tuple[Word, ...]:
    """The words that a value is to a shell."""
    data = b"x " + value.text.encode("utf-8", "surrogatepass")
    for node, _, _ in descendants(parsed(data).root_node):
        if node.type == "command" and node.start_byte == 0:
            words = map(word_of, node.children_by_field_name("argument"))
            return tuple(moved(word, value.start - 2) for word in words)
    return ()


def _is_in(place: Requirement | Index, value: Value) -> bool:
    return value.start <= place.start and place.end <= value.end


def _apart(place: Requirement | Index) -> Requirement | Index:
    """What is far from the command that it belongs to, so that nothing can be put next to it."""
    if isinstance(place, Index):
        return place._replace(flag="", flag_start=place.start) if place.flag_start > place.start else place
    return place._replace(command=None, insertion=None, is_plain=False)
