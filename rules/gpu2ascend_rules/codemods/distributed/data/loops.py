"""The loops that train: those that go through batches and, in there, call ``backward``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.syntax import ancestors, arguments_of, call_of, field, text_of
from ...origins import Origins
from ...program import Place, Program, callee_name, function_around, qualified
from .roles import TrainingLoop, trained_from

DATA_LOADERS = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})
_BACKWARD = frozenset({"backward", "manual_backward"})
_LOOPS = frozenset({"for_statement", "while_statement"})


def training_loops(program: Program, origins: Origins) -> list[TrainingLoop]:
    """Every training loop of a program, each once."""
    found: dict[tuple[str, int], TrainingLoop] = {}
    for place in backward_calls(program):
        for loop in _loops_around(place, program, origins, 0):
            found.setdefault((*loop.loop.key, *loop.batches.key), loop)  # type: ignore[arg-type]
    return list(found.values())


def backward_calls(program: Program) -> Iterator[Place]:
    """Where gradients are computed."""
    for place in program.places("attribute"):
        name = field(place.node, "attribute")
        if name is not None and text_of(name) in _BACKWARD and call_of(place.node) is not None:
            yield place


def _loops_around(place: Place, program: Program, origins: Origins, depth: int) -> Iterator[TrainingLoop]:
    """The nearest loop over batches around a place, in its function or around the calls of that."""
    unknown: TrainingLoop | None = None
    for loop in loops_in_function(place.node):
        for drawn in _drawn(Place(place.file, loop), program, origins):
            known = [item for item in drawn if item.loaders]
            if known:
                yield from (
                    item._replace(loaders=trained_from(item, place, program, origins)) for item in known
                )
                return
            unknown = unknown or next(iter(drawn), None)
    function = function_around(place)
    callers = (
        program.calls_of(function) if function is not None and depth < PROGRAM_WALK_LIMITS.callers else []
    )
    inner = [item for call in callers for item in _loops_around(call, program, origins, depth + 1)]
    yield from inner
    if not inner and unknown is not None:
        yield unknown


def loops_in_function(node: Node) -> Iterator[Node]:
    """The loops around a node within its function, innermost first."""
    for parent in ancestors(node):
        if parent.type in ("function_definition", "lambda", "class_definition"):
            return
        if parent.type in _LOOPS:
            yield parent


def _drawn(loop: Place, program: Program, origins: Origins) -> Iterator[list[TrainingLoop]]:
    """What a loop draws batches from: its iterable, or what ``next`` is asked of in its body.

    Each of them may be several: ``zip(photos, paintings)``.
    """
    iterable = field(loop.node, "right")
    sources = [Place(loop.file, iterable)] if iterable is not None and not _counts(iterable) else []
    for call in program.nodes(loop.file, "call"):
        is_inside = loop.node.start_byte <= call.start_byte < loop.node.end_byte
        if is_inside and callee_name(Place(loop.file, call)) == "next" and arguments_of(call).items:
            sources.append(Place(loop.file, arguments_of(call).items[0].value))
    for source in sources:
        drawn = []
        for batches in origins.iterables(source):
            loaders = tuple(item for item in origins.of_batches(batches) if is_loader(item, program))
            if not loaders:
                batches, loaders = _inside_call(batches, program, origins)
            drawn.append(TrainingLoop(loop, batches, loaders))
        yield drawn


def _inside_call(batches: Place, program: Program, origins: Origins) -> tuple[Place, tuple[Place, ...]]:
    """The loader that is passed to a function which yields its batches, such as a logger."""
    if batches.node.type == "call":
        for argument in arguments_of(batches.node).items:
            inner = Place(batches.file, argument.value)
            loaders = tuple(item for item in origins.of_batches(inner) if is_loader(item, program))
            if loaders:
                return inner, loaders
    return batches, ()


def _counts(iterable: Node) -> bool:
    """Whether a loop only counts: ``range(…)``, ``trange(…)``, ``enumerate(range(…))``."""
    if iterable.type in ("list", "tuple", "string"):
        return True
    function = field(iterable, "function") if iterable.type == "call" else None
    if function is None:
        return False
    name = text_of(function).rpartition(".")[2]
    if name in ("range", "trange", "count"):
        return True
    arguments = arguments_of(iterable).items
    return name in ("tqdm", "enumerate", "track") and bool(arguments) and _counts(arguments[0].value)


def is_loader(place: Place, program: Program) -> bool:
    """Whether an expression makes a DataLoader, or one of the project's own classes of it."""
    if place.node.type != "call":
        return False
    if callee_name(place) in DATA_LOADERS:
        return True
    owner = program.callee(place)
    if owner is None or owner.node.type != "class_definition":
        return False
    return any(
        qualified(Place(item.file, base)) in DATA_LOADERS
        for item in program.family(owner)
        for base in _listed_bases(item.node)
    )


def _listed_bases(definition: Node) -> list[Node]:
    listed = field(definition, "superclasses")
    return listed.named_children if listed is not None else []
