"""NPU421: the training DataLoader gives each process its own share of the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....model.finding import Message, Severity
from ....text.syntax import Argument, arguments_of, enclosing, field, text_of
from ...change import Change, first_line, reported_only
from ...passing import argument_for, parameter_default, parameter_names
from ...program import Place, callee_name
from ..job import Job
from ..places import is_simple, may_hoist
from .drawing import can_be_gone_through, can_be_shared, order_of, stream_in
from .loader_call import CODE, LoaderCall, names_sampler
from .loops import DATA_LOADERS, is_loader, listed_loaders, loaders_behind
from .picking import one_of_a_loop, one_of_several
from .roles import TrainingLoop
from .sampler_edits import instead_of_sampler, with_variable, within_expression, wrapped

_CONSTANTS = frozenset({"true", "false", "none", "string", "integer"})


def training_condition(job: Job, loops: Iterable[TrainingLoop], loader: Place) -> str | None:
    """What holds in a function when it makes a loader that is trained from: nothing, if it always does.

    None, where no parameter tells these calls from the others.
    """
    inner = enclosing(loader.node, "function_definition", "lambda")
    function = Place(loader.file, inner) if inner is not None else None
    calls = job.program.calls_of(function) if function is not None else []
    if function is None or len(calls) < 2:
        return ""
    keys = {call.key for call in calls}
    training = _drawn_from(job, loops, keys)
    if not training or training == keys:
        return ""
    conditions = (_told_by(function, name, calls, training) for name in parameter_names(function.node))
    return next((condition for condition in conditions if condition is not None), None)


def _told_by(function: Place, name: str, calls: list[Place], training: set[tuple[str, int]]) -> str | None:
    """The condition on a parameter that holds in some of the calls alone."""
    values = {call.key: _value(function, name, call) for call in calls}
    wanted = {values[key] for key in training}
    others = {value for key, value in values.items() if key not in training}
    if len(wanted) != 1 or None in wanted | others or wanted & others:
        return None
    (value,) = wanted
    return {"True": name, "False": f"not {name}"}.get(str(value), f"{name} == {value}")


def _value(function: Place, parameter: str, call: Place) -> str | None:
    """The constant that a call gives a parameter, as it is written."""
    given = argument_for(function, parameter, call)
    node = given.node if given is not None else parameter_default(function.node, parameter)
    return text_of(node) if node is not None and node.type in _CONSTANTS else None


def _drawn_from(job: Job, loops: Iterable[TrainingLoop], keys: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Which of some calls make what loops that train draw their batches from."""
    return {
        origin.key
        for loop in loops
        for drawn in listed_loaders(loop.batches) or [loop.batches]
        for origin in job.origins.of(drawn, lambda place: place.key in keys)
        if origin.key in keys
    }


def share_data(job: Job, loops: Iterable[TrainingLoop]) -> Iterator[Change]:
    """The changes of all loaders that loops train from; and the reports on data from elsewhere."""
    seen: set[tuple[str, int]] = set()
    every = list(loops)
    for loop in every:
        if not loop.loaders:
            text = first_line(loop.batches.text)
            reason = _made_by(job, loop.batches)
            yield reported_only(CODE, "not_loader", loop.batches, Severity.ERROR, text=text, reason=reason)
        for place in _other_sources(job, loop):
            if place.key not in seen:
                seen.add(place.key)
                text = first_line(place.text)
                reason = Message.of("walk.origin", text=text)
                yield reported_only(CODE, "not_loader", place, Severity.ERROR, text=text, reason=reason)
        for place in loop.loaders:
            if place.key not in seen:
                seen.add(place.key)
                conditions = (training_condition(job, every, place), one_of_a_loop(place.node))
                only = " and ".join(item for item in conditions if item)
                if None in conditions:
                    text = first_line(place.text)
                    yield reported_only(CODE, "maker", place, Severity.ERROR, text=text)
                else:
                    yield _shared(job, place, only)


def _other_sources(job: Job, loop: TrainingLoop) -> Iterator[Place]:
    """What a loop draws from in some calls, beside loaders in others, and is not known to be a loader."""
    for origin in job.origins.of_batches(loop.batches) if loop.loaders else ():
        if origin.node.type != "call" or is_loader(origin, job.program):
            continue
        given = [Place(origin.file, item.value) for item in arguments_of(origin.node).items]
        function = field(origin.node, "function")
        if function is not None and function.type == "attribute":
            given.append(Place(origin.file, field(function, "object") or function))
        inner = (item for place in given for item in job.origins.of_batches(place))
        if loaders_behind(origin, job.program, job.origins) is None and not any(
            is_loader(item, job.program) for item in inner
        ):
            yield origin


def _made_by(job: Job, batches: Place) -> Message:
    """What gives the batches of a loop, as far as that could be followed."""
    for origin in job.origins.of_batches(batches):
        if origin.key != batches.key:
            return Message.of("walk.origin", text=first_line(origin.text))
    return Message.of("walk.expression", text=first_line(batches.text))


def _shared(job: Job, place: Place, only: str) -> Change:
    loader = LoaderCall(place, arguments_of(place.node), _is_shared(job, place, only))
    problem = _problem(job, loader)
    if problem is not None:
        key, text = problem
        return reported_only(CODE, key, place, Severity.ERROR, text=text)
    stream = stream_in(job, loader)
    dataset, sampler = loader.argument("dataset"), loader.argument("sampler")
    batches = loader.argument("batch_sampler")
    if batches is not None:
        return wrapped(loader, batches, job.names(place).share_of_sampler)
    if stream is not None and dataset is not None:
        return wrapped(loader, dataset, job.names(place).share_of_stream)
    if sampler is not None and order_of(job, loader.value(sampler)) is None:
        return wrapped(loader, sampler, job.names(place).share_of_sampler)
    if sampler is not None:
        return instead_of_sampler(job, loader, sampler)
    if may_hoist(place.node):
        return with_variable(job, loader)
    return within_expression(job, loader)


def _is_shared(job: Job, place: Place, only: str) -> str:
    return f"{job.names(place).dist}.is_initialized()" + (f" and {only}" if only else "")


def _problem(job: Job, loader: LoaderCall) -> tuple[str, str] | None:
    """Why a loader cannot be given a sampler: the message's key, and what it names."""
    dataset = loader.argument("dataset")
    if callee_name(loader.place) not in DATA_LOADERS:
        return "own_class", callee_name(loader.place) or first_line(loader.place.text)
    if dataset is None or len(loader.splats) > 1 or loader.has_list_splat:
        return "unpacked", first_line(loader.place.text)
    batches = loader.argument("batch_sampler")
    if batches is not None:
        is_shared = can_be_shared(job, loader.value(batches))
        return None if is_shared else ("batch_sampler", first_line(text_of(batches.value)))
    sampler = loader.argument("sampler")
    if sampler is not None and not can_be_shared(job, loader.value(sampler)):
        return "sampler", first_line(text_of(sampler.value))
    stream = stream_in(job, loader)
    if stream is not None:
        return _problem_of_stream(job, stream)
    if sampler is not None and order_of(job, loader.value(sampler)) is None:
        return None
    return _problem_of_place(job, loader, dataset)


def _problem_of_stream(job: Job, stream: Place) -> tuple[str, str] | None:
    if can_be_gone_through(job, stream):
        return None
    is_web = callee_name(stream).startswith("webdataset.")
    return "web" if is_web else "iterable", first_line(stream.text)


def _problem_of_place(job: Job, loader: LoaderCall, dataset: Argument) -> tuple[str, str] | None:
    """Why no sampler can be written where a loader is made."""
    if any(names_sampler(item) for splat in loader.splats for item in job.origins.of(splat)):
        return "unpacked", first_line(loader.place.text)
    may_be_written_twice = is_simple(dataset.value) and not loader.splats
    is_selected = may_be_written_twice and one_of_several(loader.place.node) is not None
    if not may_hoist(loader.place.node) and not is_selected:
        return "nested", first_line(loader.place.text)
    return None
