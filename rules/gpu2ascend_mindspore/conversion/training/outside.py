"""What other files of the project do with the methods whose updates become functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.codemods.program import Place, Program
from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import enclosing, field, is_assigned, same, text_of, value_given

from ..elsewhere import may_be_so_around
from ..evidence import Evidence
from .methods import Ending, always_assigned, attributes_read, reached_by

_LITERALS = frozenset({"integer", "float", "string", "true", "false", "none"})


class Methods(NamedTuple):
    """What updates rely on: methods that nothing else calls or overrides, and what they read."""

    called: frozenset[str]
    """The methods that end in ``backward``."""
    defined: frozenset[str]
    """All that compute the losses."""
    owners: frozenset[str]
    """The classes that they are of."""
    given: frozenset[str]
    """The attributes that they read, and the optimizers."""


def are_changed_elsewhere(
    evidence: Evidence,
    endings: Sequence[Ending],
    computing: Sequence[Node],
    calls: Sequence[Node],
    optimizers: Sequence[Node],
) -> bool:
    """Whether another file calls or overrides methods of updates, or gives what they read values."""
    made = reached_by(evidence, computing)
    every = [*made, *reached_by(evidence, calls)]
    given = [*attributes_read(evidence, every) - always_assigned(made), *map(text_of, optimizers)]
    owners = [one for each in every if (one := enclosing(each, "class_definition")) is not None]
    methods = Methods(
        _names([one.function for one in endings]),
        _names(every),
        _names(owners),
        frozenset(one.rpartition(".")[2] for one in given),
    )
    words = [one.encode() for one in methods.called | methods.defined | methods.given]
    path = evidence.source.path

    def is_such(program: Program, file: SourceFile) -> bool:
        return any(word in file.data for word in words) and any(_changes(program, file, path, methods))

    return may_be_so_around(evidence, is_such)


def _names(definitions: Sequence[Node]) -> frozenset[str]:
    return frozenset(text_of(field(one, "name")) for one in definitions)


def _changes(program: Program, file: SourceFile, path: str, methods: Methods) -> Iterator[bool]:
    for name in sorted(methods.called | methods.defined | methods.given):
        for use in file.identifiers(name):
            attribute = parent_of(use)
            if parent_type(use) == "function_definition" and same(field(attribute, "name"), use):
                is_such = name in methods.defined
                yield is_such and _derives(program, file, use, path, methods.owners)
            elif attribute is not None and same(field(attribute, "attribute"), use):
                is_own = text_of(field(attribute, "object")) in ("self", "super()")
                is_such = _is_called_or_given(attribute, name, methods, is_own=is_own)
                yield is_such and (not is_own or _derives(program, file, use, path, methods.owners))


def _is_called_or_given(attribute: Node, name: str, methods: Methods, *, is_own: bool) -> bool:
    """Whether a use of a name is one that matters; ``x.backward()`` is mostly that of a tensor."""
    if is_assigned(attribute):
        value = value_given(attribute)
        return name in methods.given and (value is None or value.type not in _LITERALS)
    return name in methods.called and (is_own or name != "backward")


def _derives(program: Program, file: SourceFile, place: Node, path: str, owners: frozenset[str]) -> bool:
    """Whether the class around a place derives from one of some classes of a file."""
    owner = enclosing(place, "class_definition")
    family: Sequence[Place] = program.family(Place(file, owner)) if owner is not None else ()
    return any(one.file.path == path and text_of(field(one.node, "name")) in owners for one in family)
