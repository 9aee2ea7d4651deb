"""Whether another file of the project could show what a value is; asking is slow and rarely helps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from ..engine.context import Context
from ..inference.instances import Instances
from ..inference.walk.reading import Answer, Surely, Walk, Way
from ..inference.walk.walker import Walker
from ..limits.walks import PROGRAM_WALK_LIMITS
from ..model.project.project_view import ProjectView
from ..text.scopes import Binding, BindingKind
from ..text.syntax import field, text_of


def is_reachable(expression: Node, ctx: Context) -> bool:
    """Whether everything that a value begins with is defined in the project.

    A parameter without annotation may be anything, and of other libraries nothing is known.
    """
    return _walker(ctx).of(expression) is Answer.YES


def _walker(ctx: Context) -> Walker[Answer]:
    reading = _Reachable(ctx.instances, ctx.project)
    return ctx.once(
        "reachable", lambda: Walker(ctx.source, reading, ctx.instances.classes, PROGRAM_WALK_LIMITS)
    )


class _Reachable(Surely):
    """Whether the project defines all that a value begins with, or it is known already."""

    literals: Mapping[str, Answer] = {"none": Answer.PENDING}
    ways = frozenset(Way) - {Way.BUFFERS, Way.CALLEES, Way.DEFAULTS, Way.LATEST, Way.RETURNS}

    def __init__(self, instances: Instances, project: ProjectView) -> None:
        self._instances = instances
        self._project = project

    def settled(self, node: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        """What is known already; not ``self``, of whose attributes its class says nothing."""
        is_self = node.type == "identifier" and text_of(node) == "self"
        return Answer.YES if not is_self and self._instances.of(node) is not None else None

    # -- names -------------------------------------------------------------------------------------

    def self_in(self, owner: Node | None, walk: Walk[Answer], depth: int) -> Answer | None:
        """What a class does not show itself, one of its bases may."""
        bases = field(owner, "superclasses")
        found = {walk.of(base, depth) for base in bases.named_children} if bases is not None else set()
        return Answer.YES if Answer.YES in found else None

    def annotated(self, annotation: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        """One class that an annotation names is enough: of ``Optional[Net]`` it is ``Net``."""
        found = any(self._is_named(part, walk, depth) for part in _named_in(annotation))
        return Answer.YES if found else None

    def _is_named(self, part: Node, walk: Walk[Answer], depth: int) -> bool:
        if part.type != "string":
            return walk.of(part, depth) is Answer.YES
        root = text_of(part).strip("'\"").partition(".")[0]
        return any(
            binding.kind is BindingKind.DEFINITION or self.imported(binding, walk) is Answer.YES
            for binding in walk.source.names.bindings(root)
        )

    def imported(self, binding: Binding, walk: Walk[Answer]) -> Answer | None:
        has_module, path, target = self._project.has_module, walk.source.path, binding.target
        if not target:
            return None
        is_own = target.startswith(".") or has_module(path, target)
        is_own = is_own or has_module(path, target.rpartition(".")[0] or target)
        return Answer.YES if is_own else None

    def updated(self, binding: Binding) -> Answer | None:
        return Answer.YES

    def defined(self, binding: Binding, walk: Walk[Answer], depth: int) -> Answer | None:
        return Answer.YES

    def unpacked(self, value: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        return walk.of(value, depth)

    # -- expressions: what the chain begins with decides ---------------------------------------------


def _named_in(annotation: Node) -> Iterator[Node]:
    """The names in an annotation, also those in quotes."""
    if annotation.type in ("identifier", "attribute", "string"):
        yield annotation
    else:
        for part in annotation.named_children:
            yield from _named_in(part)
