"""Expressions that compute the same in one of some ways, with conditions on what is in their holes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from tree_sitter import Node

from ..limits.parents import parent_of
from ..text.source_file import SourceFile
from ..text.syntax import chain_of
from .pattern import Form, Match, form_of

_HEIGHT = 6
"""Levels from a part of a formula up to the whole, at most."""
Holes = Mapping[str, Node]
"""What is in the holes, by name."""


def is_dotted(node: Node) -> bool:
    """Whether an expression is a name or a dotted name, which has the same value when it is read again."""
    return chain_of(node) is not None


class Formula:
    """``Formula("$x * $f", "$f * $x", f=Formula("torch.rsqrt(input:=$y)"))``: each text is one way.

    A hole may have a formula of its own, whose holes then count, too, or a question about its node.
    """

    def __init__(self, *texts: str, **holes: Formula | Callable[[Node], bool]) -> None:
        self.texts = texts
        self._holes = holes

    def where(self, **holes: Formula | Callable[[Node], bool]) -> Formula:
        """The formula with further conditions on its holes."""
        return Formula(*self.texts, **{**self._holes, **holes})

    @cached_property
    def _forms(self) -> tuple[Form, ...]:
        return tuple(map(form_of, self.texts))

    def at(self, source: SourceFile, node: Node, **known: Node) -> Holes | None:
        """What is in the holes if an expression is the formula; ``known`` holes are filled before."""
        for form in self._forms:
            match = Match(source)
            match.nodes.update((name, (value,)) for name, value in known.items())
            if match.fits(form.node, node):
                found = self._filled(source, {name: nodes[0] for name, nodes in match.nodes.items()})
                if found is not None:
                    return found
        return None

    def around(self, source: SourceFile, node: Node) -> tuple[Node, Holes] | None:
        """The nearest expression that is the formula among one and those around it."""
        at: Node | None = node
        for _ in range(_HEIGHT):
            found = self.at(source, at) if at is not None else None
            if found is not None and at is not None:
                return at, found
            at = parent_of(at)
        return None

    def _filled(self, source: SourceFile, found: dict[str, Node]) -> Holes | None:
        for name, hole in self._holes.items():
            node = found.get(name)
            if node is None:
                continue
            if not isinstance(hole, Formula):
                if not hole(node):
                    return None
                continue
            inner = hole.at(source, node)
            if inner is None:
                return None
            found = {**inner, **found}
        return found
