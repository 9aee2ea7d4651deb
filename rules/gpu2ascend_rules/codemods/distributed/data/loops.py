"""The loops that train: those that go through batches and, in there, call ``backward``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....flow.names.parameters import base_expressions
from ....limits.parents import parent_of
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.syntax import OWN_SCOPES, ancestors, arguments_of, call_of, field, last_name, text_of
from ...origins import Origins
from ...program import Place, Program, callee_name, function_around, qualified
from ..places import ROUNDS, below, head_of
from .gradients import is_trained
from .roles import TrainingLoop, trained_from

DATA_LOADERS = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})
_BACKWARD = frozenset({"backward", "manual_backward"})


def training_loops(program: Program, origins: Origins) -> list[TrainingLoop]:
    """Every training loop of a program, each once."""
    found: dict[tuple[str, int], TrainingLoop] = {}
    for place in backward_calls(program):
        for loop in _loops_around(place, program, origins, 0):
            found.setdefault((*loop.loop.key, *loop.batches.key), loop)  # type: ignore[arg-type]
    return list(found.values())


def passes_over(loaders: set[tuple[str, int]], program: Program, origins: Origins) -> Iterator[TrainingLoop]:
    """The loops that go through the batches of some loaders, whether or not they train."""
    kinds = ("for_statement", "for_in_clause") if loaders else ()
    for place in (one for kind in kinds for one in program.places(kind)):
        iterable = field(place.node, "right")
        if iterable is None or _draws_none(Place(place.file, iterable)):
            continue
        is_clause = place.node.type == "for_in_clause"
        loop = Place(place.file, (parent_of(place.node) if is_clause else None) or place.node)
        for batches in origins.iterables(Place(place.file, iterable)):
            made = (made for inner in origins.iterables(batches) for made in origins.of(inner, _is_one_batch))
            found = tuple(item for item in made if item.key in loaders)
            if found:
                yield TrainingLoop(loop, batches, found, trains=False)


def _draws_none(iterable: Place) -> bool:
    """Whether what a loop goes through evidently has no batches."""
    return _counts(iterable.node) or _is_one_batch(iterable)


def _is_one_batch(place: Place) -> bool:
    """Whether an expression is what ``next`` draws: its parts are no batches."""
    return place.node.type == "call" and callee_name(place) == "next"


def backward_calls(program: Program) -> Iterator[Place]:
    """Where gradients are computed."""
    for place in program.places("attribute"):
        name = field(place.node, "attribute")
        if text_of(name) in _BACKWARD and call_of(place.node) is not None:
            yield place


def _loops_around(place: Place, program: Program, origins: Origins, depth: int) -> Iterator[TrainingLoop]:
    """The nearest loop over batches around a place, in its function or around the calls of that."""
    unknown: TrainingLoop | None = None
    for loop in loops_in_function(place.node):
        drawn = list(_drawn(Place(place.file, loop), program, origins))
        known = [item for item in drawn if item.loaders]
        if known:
            yield from (item._replace(loaders=trained_from(item, place, program, origins)) for item in known)
            return
        unknown = unknown or next(iter(drawn), None)
    function = function_around(place)
    callers = (
        callers_of(function, program) if function is not None and depth < PROGRAM_WALK_LIMITS.callers else []
    )
    inner = [item for call in callers for item in _loops_around(call, program, origins, depth + 1)]
    yield from inner
    if not inner and unknown is not None:
        yield unknown


def callers_of(function: Place, program: Program) -> list[Place]:
    """The calls of a function, or of the optimizers that call it."""
    return program.calls_of(function) or steps_with(function, program)


def with_callers(places: list[Place], program: Program) -> list[Place]:
    """Some places, and the calls of functions that lead to them."""
    found = list(places)
    known = {place.key for place in found}
    depths = [0] * len(found)
    for index, place in enumerate(found):
        function = function_around(place)
        if function is not None and depths[index] < PROGRAM_WALK_LIMITS.callers:
            calls = [call for call in callers_of(function, program) if call.key not in known]
            known |= {call.key for call in calls}
            found.extend(calls)
            depths += [depths[index] + 1] * len(calls)
    return found


def steps_with(closure: Place, program: Program) -> list[Place]:
    """The steps of optimizers that call a function: ``optimizer.step(closure)``."""
    name = field(closure.node, "name")
    if name is None:
        return []
    return [
        Place(closure.file, call)
        for call in program.nodes(closure.file, "call")
        if last_name(call) == "step"
        and (given := arguments_of(call).get("closure", 0)) is not None
        and text_of(given.value) == text_of(name)
        and program.definition(Place(closure.file, given.value)) == closure
    ]


def loops_in_function(node: Node) -> Iterator[Node]:
    """The loops around a node within its function, innermost first."""
    for parent in ancestors(node):
        if parent.type in OWN_SCOPES:
            return
        if parent.type in ROUNDS:
            yield parent


def _drawn(loop: Place, program: Program, origins: Origins) -> Iterator[TrainingLoop]:
    """What a loop draws batches from: its iterable, or what ``next`` is asked of in its body.

    Each of them may be several: ``zip(photos, paintings)``.
    """
    iterable = field(head_of(loop.node), "right")
    sources = [Place(loop.file, iterable)] if iterable is not None and not _counts(iterable) else []
    for call in program.nodes(loop.file, "call"):
        is_inside = loop.node.start_byte <= call.start_byte < loop.node.end_byte
        if is_inside and sources and not is_trained(loop.file, call):
            continue
        if is_inside and callee_name(Place(loop.file, call)) == "next" and arguments_of(call).items:
            sources.append(Place(loop.file, arguments_of(call).items[0].value))
    for source in sources:
        for batches in origins.iterables(source):
            loaders = _loaders_of(batches, program, origins)
            if not loaders:
                behind = loaders_behind(batches, program, origins)
                batches, loaders = behind or _inside_call(batches, program, origins)
            yield TrainingLoop(loop, batches, loaders)


def _loaders_of(batches: Place, program: Program, origins: Origins) -> tuple[Place, ...]:
    """The loaders that batches are known to come from."""
    return tuple(item for item in origins.of_batches(batches) if is_loader(item, program))


def loaders_behind(
    batches: Place, program: Program, origins: Origins, depth: int = 0
) -> tuple[Place, tuple[Place, ...]] | None:
    """What a generator, an object with ``__iter__``, or each of several in a tuple, draws from itself.

    The place is where the loader is called by a name: in the generator, or in the method of the object.
    """
    if depth > PROGRAM_WALK_LIMITS.callers:
        return None
    several = _in_turn(batches, program, origins)
    if several:
        return batches, several
    for origin in (batches, *origins.of(batches)):
        for source in _yielded_from(origin, program, origins):
            loaders = _loaders_of(source, program, origins)
            if loaders:
                return source, loaders
            found = loaders_behind(source, program, origins, depth + 1) if source.key != batches.key else None
            if found is not None:
                return found
    return None


def _in_turn(batches: Place, program: Program, origins: Origins) -> tuple[Place, ...]:
    """The loaders that a loop goes through one after the other."""
    found = [origins.of(item) for item in listed_loaders(batches)]
    if all(item and all(is_loader(place, program) for place in item) for item in found):
        return tuple(place for item in found for place in item)
    return ()


def listed_loaders(batches: Place) -> list[Place]:
    """``first`` and ``second`` of ``for loader in (first, second):``."""
    if batches.node.type != "identifier":
        return []
    for binding in batches.file.names.bindings_in_scope(text_of(batches.node), batches.node):
        listed = field(binding.statement, "right") if binding.statement.type == "for_statement" else None
        if listed is not None and listed.type in ("tuple", "list"):
            return [Place(batches.file, item) for item in listed.named_children]
    return []


def _yielded_from(origin: Place, program: Program, origins: Origins) -> Iterator[Place]:
    """What the items of an iterable come from."""
    function = program.callee(origin) if origin.node.type == "call" else None
    if function is None:
        owner = program.class_of(origin)
        function = program.method(owner, "__iter__") if owner is not None else None
    elif function.node.type == "class_definition":
        function = program.method(function, "__iter__")
    if function is None:
        return
    for node in below(function.node):
        iterable = _gone_through(node)
        if iterable is not None and not _counts(iterable):
            yield from origins.iterables(Place(function.file, iterable))


def _gone_through(node: Node) -> Node | None:
    """The iterable whose items a statement or expression of a generator yields."""
    if node.type == "for_statement" and any(item.type == "yield" for item in below(node)):
        return field(node, "right")
    if node.type == "yield" and any(child.type == "from" for child in node.children):
        return node.named_children[-1]
    if node.type == "return_statement" and text_of(node).startswith("return iter("):
        return node.named_children[0]
    return None


def _inside_call(batches: Place, program: Program, origins: Origins) -> tuple[Place, tuple[Place, ...]]:
    """The loader that is passed to a function which yields its batches, such as a logger."""
    if batches.node.type == "call":
        for argument in arguments_of(batches.node).items:
            inner = Place(batches.file, argument.value)
            loaders = _loaders_of(inner, program, origins)
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
        for base in base_expressions(item.node)
    )
