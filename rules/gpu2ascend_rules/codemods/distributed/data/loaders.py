"""NPU421: the training DataLoader gives each process its own share of the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....model.finding import Message, Severity
from ....text.syntax import (
    COMPREHENSION_TYPES,
    Argument,
    Arguments,
    arguments_of,
    enclosing,
    enclosing_statement,
    field,
    text_of,
    without_parentheses,
)
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, qualified
from ..job import Job
from ..places import below, is_simple, may_hoist
from .loops import DATA_LOADERS, is_loader, loaders_behind
from .makers import training_condition
from .roles import TrainingLoop, is_evaluation

CODE = "NPU421"
_POSITIONS = {"dataset": 0, "batch_size": 1, "shuffle": 2, "sampler": 3, "batch_sampler": 4}
_REPLACEABLE = {"RandomSampler": "True", "SequentialSampler": "False"}
_STREAMS = frozenset({"IterableDataset", "IterDataPipe"})
_BOUND_AND_USED = 2
_NOTHING = ("None", "False")


class _Loader(NamedTuple):
    """A call of DataLoader and its arguments."""

    place: Place
    arguments: Arguments
    is_shared: str
    """What holds where its data are to be shared, as code."""

    def argument(self, name: str) -> Argument | None:
        """An argument that is given, by name or by position, and is not None."""
        found = self.arguments.get(name, _POSITIONS[name])
        return found if found is not None and text_of(found.value) != "None" else None

    def value(self, argument: Argument) -> Place:
        """An argument's value as a place."""
        return Place(self.place.file, argument.value)


def share_data(job: Job, loops: Iterable[TrainingLoop]) -> Iterator[Change]:
    """The changes of all loaders that loops train from; and what is said of data from elsewhere."""
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
                conditions = (training_condition(job, every, place), _one_of_a_loop(place.node))
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
    loader = _Loader(place, arguments_of(place.node), _is_shared(job, place, only))
    problem = _problem(job, loader)
    if problem is not None:
        key, text = problem
        return reported_only(CODE, key, place, Severity.ERROR, text=text)
    stream = _stream_in(job, loader)
    dataset, sampler = loader.argument("dataset"), loader.argument("sampler")
    batches = loader.argument("batch_sampler")
    if batches is not None:
        return _wrapped(loader, batches, job.names(place).share_of_sampler)
    if stream is not None and dataset is not None:
        return _wrapped(loader, dataset, job.names(place).share_of_stream)
    if sampler is not None and _order_of(job, loader.value(sampler)) is None:
        return _wrapped(loader, sampler, job.names(place).share_of_sampler)
    if sampler is not None:
        return _instead_of_sampler(job, loader, sampler)
    if may_hoist(place.node):
        return _with_variable(job, loader)
    return _within_expression(job, loader)


def _is_shared(job: Job, place: Place, only: str) -> str:
    return f"{job.names(place).dist}.is_initialized()" + (f" and {only}" if only else "")


def _problem(job: Job, loader: _Loader) -> tuple[str, str] | None:
    """Why a loader cannot be given a sampler: the message's key, and what it names."""
    dataset = loader.argument("dataset")
    if callee_name(loader.place) not in DATA_LOADERS:
        return "own_class", callee_name(loader.place) or first_line(loader.place.text)
    if dataset is None or len(_splats(loader)) > 1 or _has_list_splat(loader):
        return "unpacked", first_line(loader.place.text)
    batches = loader.argument("batch_sampler")
    if batches is not None:
        is_shared = _can_be_shared(job, loader.value(batches))
        return None if is_shared else ("batch_sampler", first_line(text_of(batches.value)))
    sampler = loader.argument("sampler")
    if sampler is not None and not _can_be_shared(job, loader.value(sampler)):
        return "sampler", first_line(text_of(sampler.value))
    stream = _stream_in(job, loader)
    if stream is not None and not _can_be_gone_through(job, stream):
        is_web = callee_name(stream).startswith("webdataset.")
        return "web" if is_web else "iterable", first_line(stream.text)
    if stream is not None or (sampler is not None and _order_of(job, loader.value(sampler)) is None):
        return None
    if any(_names_sampler(item) for splat in _splats(loader) for item in job.origins.of(splat)):
        return "unpacked", first_line(loader.place.text)
    may_be_written_twice = is_simple(dataset.value) and not _splats(loader)
    is_told = may_be_written_twice and _one_of_several(loader.place.node) is not None
    if not may_hoist(loader.place.node) and not is_told:
        return "nested", first_line(loader.place.text)
    return None


def _wrapped(loader: _Loader, argument: Argument, helper: str) -> Change:
    """What draws the data, or is gone through, gives each process its share."""
    node = argument.value
    text = f"{helper}($0) if {loader.is_shared} else $0"
    operation = Operation(OperationKind.EXPRESSION, node.start_byte, node.end_byte, text)
    return done(CODE, "share", loader.place, operation, text=first_line(text_of(node)))


def _stream_in(job: Job, loader: _Loader) -> Place | None:
    dataset = loader.argument("dataset")
    found = job.origins.of(loader.value(dataset)) if dataset is not None else []
    return next((item for item in found if _is_stream(job, item)), None)


def _can_be_gone_through(job: Job, stream: Place) -> bool:
    """Whether a stream gives all items in one order; pipelines of libraries share them out by themselves."""
    name = callee_name(stream)
    return not name.startswith("webdataset.") and not any(
        qualified(Place(item.file, base)).endswith("IterDataPipe")
        for owner in (job.program.callee(stream),)
        if owner is not None
        for item in job.program.family(owner)
        for base in _bases(item.node)
    )


def _can_be_shared(job: Job, sampler: Place) -> bool:
    """Whether it is known how much a sampler draws: one of torch, or one with a length and an end."""
    origins = job.origins.of(sampler)
    return bool(origins) and all(
        item.node.type == "call"
        and (callee_name(item).startswith("torch.utils.data.") or _draws_a_number(job, item))
        for item in origins
    )


def _draws_a_number(job: Job, made: Place) -> bool:
    owner = job.program.callee(made)
    if owner is None or owner.node.type != "class_definition":
        return False
    draws, counts = (job.program.method(owner, name) for name in ("__iter__", "__len__"))
    if draws is None or counts is None:
        return False
    return not any(
        node.type == "while_statement"
        and text_of(without_parentheses(field(node, "condition") or node)) in ("True", "1")
        for node in below(draws.node)
    )


def _splats(loader: _Loader) -> list[Place]:
    """What is unpacked into keywords."""
    holder = field(loader.place.node, "arguments")
    nodes = holder.named_children if holder is not None else []
    return [
        Place(loader.place.file, child.named_children[0])
        for child in nodes
        if child.type == "dictionary_splat"
    ]


def _has_list_splat(loader: _Loader) -> bool:
    holder = field(loader.place.node, "arguments")
    return holder is not None and any(child.type == "list_splat" for child in holder.named_children)


def _names_sampler(place: Place) -> bool:
    return "sampler" in place.text and place.node.type in ("dictionary", "call")


def _order_of(job: Job, sampler: Place) -> str | None:
    """Whether a sampler shuffles, as a literal; nothing for one that DistributedSampler cannot stand for."""
    orders: set[str | None] = set()
    for origin in job.origins.of(sampler):
        name = callee_name(origin) if origin.node.type == "call" else ""
        module, _, last = name.rpartition(".")
        is_plain = module.startswith("torch.utils.data") and len(arguments_of(origin.node).items) == 1
        orders.add(_REPLACEABLE.get(last) if is_plain else None)
    return orders.pop() if len(orders) == 1 else None


def _is_stream(job: Job, place: Place) -> bool:
    """Whether a data set has no length and no index: it can only be gone through."""
    if place.node.type != "call":
        return False
    name = callee_name(place)
    if name.startswith("webdataset.") or name.rpartition(".")[2] in _STREAMS:
        return True
    streaming = arguments_of(place.node).keyword("streaming")
    if name == "datasets.load_dataset" and streaming is not None:
        return text_of(streaming.value) not in _NOTHING
    owner = job.program.callee(place)
    if owner is None or owner.node.type != "class_definition":
        return False
    return any(
        qualified(Place(item.file, base)).rpartition(".")[2] in _STREAMS
        for item in job.program.family(owner)
        for base in _bases(item.node)
    )


def _bases(definition: Node) -> list[Node]:
    listed = field(definition, "superclasses")
    return listed.named_children if listed is not None else []


def _instead_of_sampler(job: Job, loader: _Loader, sampler: Argument) -> Change:
    """``sampler=RandomSampler(data)`` stays for a single process."""
    names = job.names(loader.place)
    dataset = loader.argument("dataset")
    order = _order_of(job, loader.value(sampler)) or "True"
    made = _only_made_for(loader, sampler)
    if made is not None:
        data = text_of(arguments_of(made).items[0].value)
        text = f"{names.sampler}({data}, shuffle={order}) if {loader.is_shared} else $0"
        value = Operation(OperationKind.EXPRESSION, made.start_byte, made.end_byte, text)
        return done(CODE, "sampler_added", loader.place, value, text=data)
    data = text_of(dataset.value) if dataset is not None else ""
    before, operations = _dataset_variable(job, loader, "train")
    data = before or data
    text = f"{names.sampler}({data}, shuffle={order}) if {loader.is_shared} else $0"
    value = Operation(OperationKind.EXPRESSION, sampler.value.start_byte, sampler.value.end_byte, text)
    return done(CODE, "sampler_added", loader.place, *operations, value, text=data)


def _only_made_for(loader: _Loader, sampler: Argument) -> Node | None:
    """The call that makes a sampler in a variable just for this loader, of the same data set."""
    dataset = loader.argument("dataset")
    if dataset is None or sampler.value.type != "identifier":
        return None
    source, name = loader.place.file, text_of(sampler.value)
    bindings = source.names.bindings_in_scope(name, sampler.value)
    value = bindings[0].value if len(bindings) == 1 else None
    if value is None or value.type != "call" or len(source.occurrences(name)) != _BOUND_AND_USED:
        return None
    first = arguments_of(value).at(0)
    is_same = first is not None and is_simple(first.value) and text_of(first.value) == text_of(dataset.value)
    return value if is_same else None


def _dataset_variable(job: Job, loader: _Loader, stem: str) -> tuple[str, list[Operation]]:
    """A variable for a data set that is an expression, for two places need it; nothing for a name."""
    dataset = loader.argument("dataset")
    if dataset is None or is_simple(dataset.value):
        return "", []
    name = job.names(loader.place).new(f"{stem}_dataset")
    value = dataset.value
    statement = enclosing_statement(loader.place.node)
    text = f"{name} = {loader.place.file.text_of(value)}\n"
    return name, [
        Operation(OperationKind.BEFORE, statement.start_byte, statement.end_byte, text),
        Operation(OperationKind.EXPRESSION, value.start_byte, value.end_byte, name),
    ]


def _with_variable(job: Job, loader: _Loader) -> Change:
    """The sampler in a separate variable, before the statement that makes the loader."""
    names, place = job.names(loader.place), loader.place
    stem = _stem(place.node)
    data, operations = _dataset_variable(job, loader, stem)
    dataset = loader.argument("dataset")
    data = data or (text_of(dataset.value) if dataset is not None else "")
    sampler = names.new(f"{stem}_sampler")
    shuffle = loader.argument("shuffle")
    order, more = _order(job, loader, shuffle, stem)
    made = f"{names.sampler}({data}, shuffle={order}) if {loader.is_shared} else None"
    statement = enclosing_statement(place.node)
    operations += more
    operations.append(
        Operation(OperationKind.BEFORE, statement.start_byte, statement.end_byte, f"{sampler} = {made}\n")
    )
    operations += _loader_operations(loader, sampler, order)
    return done(CODE, "sampler_added", place, *operations, text=data)


def _order(job: Job, loader: _Loader, shuffle: Argument | None, stem: str) -> tuple[str, list[Operation]]:
    """Whether the data are shuffled, as code that may stand in two places."""
    splats = _splats(loader)
    if shuffle is None:
        return (f'bool({splats[0].text}.get("shuffle"))' if splats else "False"), []
    text = loader.place.file.text_of(shuffle.value)
    if is_simple(shuffle.value) or text in ("True", "False"):
        return text, []
    name = job.names(loader.place).new(f"{stem}_shuffle")
    statement = enclosing_statement(loader.place.node)
    return name, [
        Operation(OperationKind.BEFORE, statement.start_byte, statement.end_byte, f"{name} = {text}\n"),
    ]


def _loader_operations(loader: _Loader, sampler: str, order: str) -> list[Operation]:
    """The loader takes the sampler and leaves the order to it."""
    node, shuffle = loader.place.node, loader.argument("shuffle")
    splats = _splats(loader)
    if splats and shuffle is None:
        splat = splats[0].node
        text = f'($0 if {sampler} is None else {{**$0, "shuffle": False, "sampler": {sampler}}})'
        return [Operation(OperationKind.EXPRESSION, splat.start_byte, splat.end_byte, text)]
    steps: list[tuple[str, str]] = []
    if shuffle is not None and order != "False":
        alone = f"{sampler} is None" if order == "True" else f"{order} and {sampler} is None"
        steps.append(("put", f"2={alone}") if shuffle.keyword is None else ("set", f"shuffle={alone}"))
    at_sampler = loader.arguments.at(_POSITIONS["sampler"])
    steps.append(("put", f"3={sampler}") if at_sampler is not None else ("set", f"sampler={sampler}"))
    return [Operation(OperationKind.CALL, node.start_byte, node.end_byte, steps=tuple(steps))]


def _within_expression(job: Job, loader: _Loader) -> Change:
    """The sampler in the call itself, where there is no statement to put a variable before."""
    names, place = job.names(loader.place), loader.place
    dataset, shuffle = loader.argument("dataset"), loader.argument("shuffle")
    data = text_of(dataset.value) if dataset is not None else ""
    order = text_of(shuffle.value) if shuffle is not None else "False"
    only = _one_of_several(place.node)
    is_shared = loader.is_shared + (f" and {only}" if only else "")
    steps: list[tuple[str, str]] = []
    if shuffle is not None and order != "False":
        not_shared = f"not ({is_shared})" if " and " in is_shared else f"not {is_shared}"
        alone = not_shared if order == "True" else f"{order} and {not_shared}"
        steps.append(("put", f"2={alone}") if shuffle.keyword is None else ("set", f"shuffle={alone}"))
    sampler = f"{names.sampler}({data}, shuffle={order}) if {is_shared} else None"
    at_sampler = loader.arguments.at(_POSITIONS["sampler"])
    steps.append(("put", f"3={sampler}") if at_sampler is not None else ("set", f"sampler={sampler}"))
    call = Operation(OperationKind.CALL, place.node.start_byte, place.node.end_byte, steps=tuple(steps))
    return done(CODE, "sampler_added", place, call, text=data)


def _one_of_several(call: Node) -> str | None:
    """The condition that picks the training loader of those that a comprehension makes; nothing to pick
    outside any, and None where it cannot be determined."""
    holder = enclosing(call, *COMPREHENSION_TYPES)
    if holder is None:
        return ""
    clauses = [child for child in holder.named_children if child.type == "for_in_clause"]
    left, right = field(clauses[0], "left"), field(clauses[0], "right")
    if len(clauses) > 1 or left is None or right is None or right.type not in ("list", "tuple"):
        return None
    names = [child for child in right.named_children if child.type == "string"]
    training = [child for child in names if not is_evaluation(text_of(child))]
    if left.type != "identifier" or len(training) != 1 or len(names) != len(right.named_children):
        return None
    return f"{text_of(left)} == {text_of(training[0])}" if len(names) > 1 else ""


def _one_of_a_loop(call: Node) -> str | None:
    """The condition that picks the training loader of those that a loop puts into a dictionary.

    Nothing to pick outside any, and None where it cannot be determined.
    """
    statement, loop = enclosing_statement(call), enclosing(call, "for_statement", "function_definition")
    assignment = statement.named_children[0] if statement.named_children else None
    left = field(assignment, "left") if assignment is not None and assignment.type == "assignment" else None
    key = field(left, "subscript") if left is not None and left.type == "subscript" else None
    if loop is None or loop.type != "for_statement" or key is None or key.type != "identifier":
        return ""
    counter, listed = field(loop, "left"), field(loop, "right")
    if counter is None or listed is None or text_of(counter) != text_of(key):
        return None
    names = listed.named_children if listed.type in ("list", "tuple", "set") else []
    training = [name for name in names if name.type == "string" and not is_evaluation(text_of(name))]
    if len(training) != 1 or any(name.type != "string" for name in names):
        return None
    return f"{text_of(counter)} == {text_of(training[0])}" if len(names) > 1 else ""


def _stem(call: Node) -> str:
    """What a loader is called, without the word for it: ``train`` for ``self.train_loader``."""
    statement = enclosing_statement(call)
    assignment = statement.named_children[0] if statement.type == "expression_statement" else None
    left = field(assignment, "left") if assignment is not None and assignment.type == "assignment" else None
    right = field(assignment, "right") if assignment is not None and left is not None else None
    name = text_of(left).rpartition(".")[2] if left is not None and right == call else ""
    for word in ("dataloader", "data_loader", "loader"):
        if name.lower().endswith(word):
            name = name[: -len(word)].rstrip("_")
            break
    return name if name.isidentifier() and name not in ("data", "dl") else "train"
