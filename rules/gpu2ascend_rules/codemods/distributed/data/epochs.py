"""NPU422: the sampler gets the number of each epoch, or the data has the same order every time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....limits.walks import PROGRAM_WALK_LIMITS
from ....model.finding import Severity
from ....text.syntax import COMPREHENSION_TYPES, arguments_of, called_on, enclosing, field, text_of
from ...change import Change, done, reported_only
from ...operations import Operation, OperationKind
from ...passing import argument_for, parameter_default, parameter_names
from ...program import Place, Program, function_around
from ..job import Job
from ..places import is_simple, statement_around
from .drawing import stream_in
from .loader_call import LoaderCall
from .loops import is_loader, loaders_behind, loops_in_function
from .roles import TrainingLoop, is_evaluation

CODE = "NPU422"
_WRAPPERS = frozenset({"iter", "tqdm", "enumerate", "cycle"})
_NAME = re.compile(r"""(?<![.'"\w])[^\W\d]\w*""")
"""A variable in a simple expression: no attribute, no key."""
_EPOCH_PARAMETERS = (
    "epoch",
    "ep",
    "epoch_idx",
    "epoch_index",
    "current_epoch",
    "cur_epoch",
    "epoch_num",
    "i_epoch",
)


class _Site(NamedTuple):
    """Where a sampler's epoch can be set, and the names of both there."""

    place: Place
    kind: OperationKind
    loader: str
    epoch: str
    may_lack_sampler: bool = False
    """Whether what is gone through there may be something else than a loader, such as a generator."""


def set_epochs(job: Job, loops: Iterable[TrainingLoop], shared: set[tuple[str, int]]) -> Iterator[Change]:
    """The changes for the loops whose loaders have got a sampler."""
    seen: set[tuple[str, int, str]] = set()
    for loop in loops:
        if not any(place.key in shared for place in loop.loaders):
            continue
        site = _site(job.program, loop)
        if site is None and not all(_keeps_order(job, loader) for loader in loop.loaders):
            yield reported_only(CODE, "no_epoch", loop.loop, Severity.WARNING)
        others = _other_origins(job, loop.batches)
        found = [site._replace(may_lack_sampler=bool(others))] if site is not None else []
        for item in (*found, *_in_generators(job, loop, others)):
            if (*item.place.key, item.loader) not in seen:
                seen.add((*item.place.key, item.loader))
                yield _epoch_set(job, item)


def _keeps_order(job: Job, place: Place) -> bool:
    """Whether a loader goes through its data in the same order in every epoch, or through a stream."""
    loader = LoaderCall(place, arguments_of(place.node), "")
    shuffle = loader.argument("shuffle")
    is_plain = loader.argument("sampler") is None and not loader.splats and not loader.has_list_splat
    is_in_order = is_plain and (shuffle is None or text_of(shuffle.value) == "False")
    return is_in_order or stream_in(job, loader) is not None


def _other_origins(job: Job, batches: Place) -> list[Place]:
    """What is gone through in some runs instead of a loader."""
    origins = job.origins.of_batches(batches)
    return [item for item in origins if item.node.type == "call" and not is_loader(item, job.program)]


def _in_generators(job: Job, loop: TrainingLoop, origins: list[Place]) -> Iterator[_Site]:
    """Where generators that a loop goes through in some runs go through a loader."""
    for origin in origins:
        behind = loaders_behind(origin, job.program, job.origins)
        loader = _loader_itself(behind[0]) if behind is not None else loop.loop
        if function_around(loader) != function_around(loop.loop) and is_simple(loader.node):
            yield _by_passes(loader)._replace(may_lack_sampler=bool(_other_origins(job, loader)))


def _epoch_set(job: Job, site: _Site) -> Change:
    sampler = f"{site.loader}.sampler"
    asked = f'getattr({site.loader}, "sampler", None)' if site.may_lack_sampler else sampler
    test = f"if isinstance({asked}, {job.names(site.place).sampler}):"
    text = f"{test}\n    {sampler}.set_epoch({site.epoch})\n"
    node = site.place.node
    return done(CODE, "set", site.place, Operation(site.kind, node.start_byte, node.end_byte, text))


def _site(program: Program, training: TrainingLoop) -> _Site | None:
    loader = _loader_itself(training.batches)
    if not is_simple(loader.node):
        return None
    if function_around(loader) != function_around(training.loop):
        return _by_passes(loader)
    found = _around(program, training.loop, loader.text, training.loop.node, 0)
    if found is not None:
        return found if found.epoch else _by_passes(loader)
    function = function_around(training.loop)
    names = parameter_names(function.node) if function is not None else []
    epoch = next((name for name in names if name in _EPOCH_PARAMETERS), None)
    if epoch is None:
        return None
    drawn = Place(training.loop.file, statement_around(training.loop.node))
    return _Site(drawn, OperationKind.BEFORE, loader.text, epoch)


def _by_passes(loader: Place) -> _Site:
    """A generator goes through the data again and again: it counts its passes by the sampler."""
    drawn = Place(loader.file, statement_around(loader.node))
    return _Site(drawn, OperationKind.BEFORE, loader.text, f"{loader.text}.sampler.epoch + 1")


def _loader_itself(batches: Place) -> Place:
    """``loader`` for ``iter(loader)`` or ``tqdm(enumerate(loader))``, or a variable that holds such."""
    node = batches.node
    for _ in range(PROGRAM_WALK_LIMITS.depth):
        call = node if node.type == "call" else _call_in(batches, node)
        function = field(call, "function")
        if call is None or function is None or text_of(function).rpartition(".")[2] not in _WRAPPERS:
            break
        arguments = arguments_of(call).items
        if not arguments:
            break
        node = arguments[0].value
    return Place(batches.file, node)


def _call_in(batches: Place, name: Node) -> Node | None:
    """The call that a variable holds the result of."""
    if name.type != "identifier":
        return None
    bindings = batches.file.names.bindings_in_scope(text_of(name), name)
    values = [binding.value for binding in bindings]
    return next((value for value in values if value is not None and value.type == "call"), None)


def _around(program: Program, inner: Place, loader: str, start: Node, depth: int) -> _Site | None:
    """The nearest loop that counts, around a place in its function or around the calls of that.

    Where a comprehension draws the loader, statements do not know it: no epoch can be set there.
    """
    names = (inner.file.names.bindings_in_scope(name, start) for name in _NAME.findall(loader))
    if any(binding.scope.type in COMPREHENSION_TYPES for bound in names for binding in bound):
        return _Site(inner, OperationKind.BEFORE, loader, "")
    for node in loops_in_function(start):
        epoch = counter_of(node)
        if epoch is not None and node != inner.node:
            loop = Place(inner.file, node)
            return _in_loop(program, loop, inner, loader, epoch)
    function = function_around(Place(inner.file, start))
    if function is None or depth >= PROGRAM_WALK_LIMITS.callers:
        return None
    for call in program.calls_of(function):
        outside = _seen_by_caller(function, loader, call)
        if outside is not None:
            found = _around(program, call, outside, call.node, depth + 1)
            if found is not None:
                return found
    return None


def _in_loop(program: Program, loop: Place, inner: Place, loader: str, epoch: str) -> _Site:
    """At the loop's beginning; or just before the batches, when the loader is made within the loop."""
    bound = (binding.node for name in _NAME.findall(loader) for binding in loop.file.names.bindings(name))
    assigned = (field(item, "left") for item in program.nodes(loop.file, "assignment"))
    made = (*bound, *(left for left in assigned if left is not None and text_of(left) == loader))
    if any(loop.node.start_byte < node.start_byte < loop.node.end_byte for node in made):
        drawn = Place(inner.file, statement_around(inner.node))
        return _Site(drawn, OperationKind.BEFORE, loader, epoch)
    return _Site(loop, OperationKind.BODY_START, loader, epoch)


def counter_of(loop: Node) -> str | None:
    """The variable that a loop counts its rounds in."""
    if loop.type == "for_statement":
        target, iterable = field(loop, "left"), field(loop, "right")
        if target is None or iterable is None or not is_simple(target) or iterable.type != "call":
            return None
        return text_of(target) if _is_range(iterable) else None
    condition = field(loop, "condition")
    if condition is not None and condition.type == "comparison_operator":
        counter = condition.named_children[0]
        return text_of(counter) if is_simple(counter) and "epoch" in text_of(counter).lower() else None
    return None


def _is_range(iterable: Node) -> bool:
    function = field(iterable, "function")
    name = text_of(function).rpartition(".")[2] if function is not None else ""
    if name in ("range", "trange", "count"):
        return True
    arguments = arguments_of(iterable).items
    return (
        name in ("tqdm", "track")
        and bool(arguments)
        and (arguments[0].value.type == "call" and _is_range(arguments[0].value))
    )


def _seen_by_caller(function: Place, loader: str, call: Place) -> str | None:
    """What a function calls its loader, in the words of a caller: each of the names in it."""
    words: dict[str, str] = {}
    for name in _NAME.findall(loader):
        word = _word_of_caller(function, name, call, is_key=not loader.startswith(name))
        if word is None or loader == "self":
            return None
        words[name] = word
    return _NAME.sub(lambda found: words[found[0]], loader)


def _word_of_caller(function: Place, name: str, call: Place, *, is_key: bool) -> str | None:
    """What a caller calls what has a name in a function; None for what it does not know."""
    if name == "self":
        receiver = called_on(call.node)
        return text_of(receiver) if receiver is not None and is_simple(receiver) else None
    if name in parameter_names(function.node):
        return _word_of_argument(function, name, call, is_key=is_key)
    is_local = any(binding.scope == function.node for binding in function.file.names.bindings(name))
    if is_local or call.file is not function.file:
        return None
    return name if enclosing(call.node, "class_definition") is None else None


def _word_of_argument(function: Place, name: str, call: Place, *, is_key: bool) -> str | None:
    """What a call gives a parameter: a literal counts as a key alone."""
    given = argument_for(function, name, call)
    node = given.node if given is not None else parameter_default(function.node, name)
    if node is None:
        return None
    if node.type in ("string", "integer"):
        return text_of(node) if is_key and not is_evaluation(text_of(node)) else None
    return text_of(node) if given is not None and is_simple(node) else None
