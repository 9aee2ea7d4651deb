"""Who calls whom in a program: by name, by the base of a class, and by the word that names a method."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

from tree_sitter import Node

from ...text.syntax import enclosing, field, text_of
from .place import Place

_QUOTED = (
    r"""(?:[\"'](?P<before>[\w.]*)[\"']\s*\+\s*)?[\w.\[\]\"'()]+(?:\s*\+\s*[\"'](?P<after>[\w.]*)[\"'])?"""
)
_FRAMES = (
    re.compile(_QUOTED),
    re.compile(r"""f[\"'](?P<before>[\w.]*)\{[^{}]+\}(?P<after>[\w.]*)[\"']"""),
    re.compile(r"""[\"'](?P<before>[\w.]*)%s(?P<after>[\w.]*)[\"']\s*%.*""", re.DOTALL),
    re.compile(r"""[\"'](?P<before>[\w.]*)\{\w*\}(?P<after>[\w.]*)[\"']\.format\(.*""", re.DOTALL),
)
"""How a name is put together from a part that is chosen and what surrounds that."""


class _Linked(Protocol):
    """What is asked of a program."""

    def places(self, kind: str) -> Iterator[Place]: ...
    def callee(self, call: Place) -> Place | None: ...
    def method(self, owner: Place, name: str) -> Place | None: ...
    def family(self, owner: Place) -> list[Place]: ...


class Calls:
    """The calls of the functions of one program; a call of a class counts for its ``__init__``."""

    def __init__(self, program: _Linked) -> None:
        self._program = program

    def of(self, function: Place) -> list[Place]:
        """Where a function is called.

        A method that nobody is known to call is called where a method of its base is, and where one of its
        name is called of an object that is not known: by itself or, as callbacks are, by ``getattr``.
        """
        known = self._known.get(function.key, [])
        owner, name = (
            enclosing(function.node, "class_definition"),
            text_of(field(function.node, "name") or function.node),
        )
        if known or owner is None or name.startswith("__") or function.node.type == "lambda":
            return known
        family = self._program.family(function._replace(node=owner))
        bases = (self._program.method(base, name) for base in family[1:])
        inherited = [call for base in bases if base is not None for call in self._known.get(base.key, [])]
        return inherited or self._by_name.get(name, []) + self._by_word(name)

    @cached_property
    def _known(self) -> dict[tuple[str, int], list[Place]]:
        calls: dict[tuple[str, int], list[Place]] = {}
        for place in self._program.places("call"):
            callee = self._program.callee(place)
            if callee is not None and callee.node.type == "class_definition":
                callee = self._program.method(callee, "__init__")
            if callee is not None:
                calls.setdefault(callee.key, []).append(place)
        return calls

    @cached_property
    def _by_name(self) -> dict[str, list[Place]]:
        """The calls of methods of objects that are not known."""
        calls: dict[str, list[Place]] = {}
        for place in self._program.places("call"):
            function = field(place.node, "function")
            name = field(function, "attribute")
            if function is None or name is None or self._program.callee(place) is not None:
                continue
            resolution = place.file.names.qualified_name(function)
            if resolution is None or resolution.binding is None:
                calls.setdefault(text_of(name), []).append(place)
        return calls

    def _by_word(self, name: str) -> list[Place]:
        """The calls ``getattr(callback, name)(…)``, if the program has a word that makes the name."""
        return [
            call
            for call, before, after in self._asked_by_word
            if name.startswith(before)
            and name.endswith(after)
            and name[len(before) : len(name) - len(after)] in self._words
        ]

    @cached_property
    def _asked_by_word(self) -> list[tuple[Place, str, str]]:
        """The calls of what ``getattr`` gives, with what surrounds the word that is asked for."""
        found: list[tuple[Place, str, str]] = []
        for place in self._program.places("call"):
            asked = field(place.node, "function")
            if asked is not None and asked.type == "identifier":
                bindings = place.file.names.bindings_in_scope(text_of(asked), asked)
                asked = next((item.value for item in bindings if item.value is not None), None)
            function, arguments = field(asked, "function"), field(asked, "arguments")
            if function is not None and arguments is not None and text_of(function) == "getattr":
                given = arguments.named_children[1:2]
                found += [(place, *frame) for node in given for frame in frames_of(text_of(node))]
        return found

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(text_of(place.node).strip("\"'") for place in self._program.places("string"))


def named_frames(call: Node) -> Iterator[tuple[str, str]]:
    """What surrounds the name of a module that is put together: ``"models."`` and ``"_model"``."""
    function, arguments = field(call, "function"), field(call, "arguments")
    name = text_of(function).rpartition(".")[2] if function is not None else ""
    if name not in ("import_module", "__import__") or arguments is None or not arguments.named_children:
        return
    yield from frames_of(text_of(arguments.named_children[0]))


def frames_of(text: str) -> Iterator[tuple[str, str]]:
    """What a name that an expression puts together may begin and end with."""
    for form in _FRAMES:
        match = form.fullmatch(text)
        if match is not None:
            yield match["before"] or "", match["after"] or ""
