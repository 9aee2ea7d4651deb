"""A call of DataLoader, and what it is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....text.syntax import Argument, Arguments, field, text_of
from ...program import Place

CODE = "NPU421"
POSITIONS = {"dataset": 0, "batch_size": 1, "shuffle": 2, "sampler": 3, "batch_sampler": 4}


class LoaderCall(NamedTuple):
    """A call of DataLoader and its arguments."""

    place: Place
    arguments: Arguments
    is_shared: str
    """What holds where its data are to be shared, as code."""

    def argument(self, name: str) -> Argument | None:
        """An argument that is given, by name or by position, and is not None."""
        found = self.arguments.get(name, POSITIONS[name])
        return found if found is not None and text_of(found.value) != "None" else None

    def value(self, argument: Argument) -> Place:
        """An argument's value as a place."""
        return Place(self.place.file, argument.value)

    @property
    def splats(self) -> list[Place]:
        """What is unpacked into keywords."""
        return [Place(self.place.file, node.named_children[0]) for node in self._of_type("dictionary_splat")]

    @property
    def has_list_splat(self) -> bool:
        """Whether positional arguments are unpacked, so that the others have no known position."""
        return any(True for _ in self._of_type("list_splat"))

    def _of_type(self, node_type: str) -> Iterator[Node]:
        holder = field(self.place.node, "arguments")
        children = holder.named_children if holder is not None else []
        return (node for node in children if node.type == node_type)


def names_sampler(place: Place) -> bool:
    """Whether what is unpacked may bring a sampler."""
    return "sampler" in place.text and place.node.type in ("dictionary", "call")
