"""Whether a call is for certain one of a method that the file's own class defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ..text.syntax import enclosing, text_of
from .classes.class_definitions import ClassDefinitions
from .classes.torch_classes import gives_its_own_class
from .walk.reading import ReadingOfAll, Walk, Way
from .walk.walker import Walker

if TYPE_CHECKING:
    from ..text.source_file import SourceFile


class OwnMethods:
    """Answers for one file; every answer is kept."""

    def __init__(self, source: SourceFile, classes: ClassDefinitions | None = None) -> None:
        self._walker = Walker(source, _Makers(), classes)

    def is_called(self, receiver: Node, name: str) -> bool:
        """Whether ``receiver.name`` is the method of a class of the file, as in ``Net().cuda()``."""
        classes = self._walker.classes
        if receiver.type == "call" and text_of(receiver).startswith("super("):
            owners = classes.own_bases(enclosing(receiver, "class_definition"))
        else:
            owner = self._walker.of(receiver).definition
            owners = [owner] if owner is not None else []
        return any(classes.method(owner, name) is not None for owner in owners)


class _Maker(NamedTuple):
    """What made an object."""

    definition: Node | None = None
    """The class of the file, if that is known."""
    is_pending: bool = False


class _Makers(ReadingOfAll[_Maker]):
    """The class of the file that made an object: all that is assigned to its name must agree."""

    unknown = _Maker()
    pending = _Maker(is_pending=True)
    ways = frozenset({Way.CALLEES})

    def instance_of(self, definition: Node, walk: Walk[_Maker], depth: int) -> _Maker | None:
        return _Maker(definition)

    def method(self, receiver: Node, name: str, walk: Walk[_Maker], depth: int) -> _Maker | None:
        """``net.cuda()`` is of the class of ``net``."""
        return walk.of(receiver, depth) if gives_its_own_class(name) else None
