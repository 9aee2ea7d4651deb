"""The edits that give a loader, or what it draws from, the share of its process."""

from __future__ import annotations

from tree_sitter import Node

from ....text.syntax import Argument, arguments_of, field, text_of
from ....text.uses import assignment_in
from ...change import Change, done, first_line
from ...operations import Operation, OperationKind
from ..job import Job
from ..places import is_simple, statement_around
from .drawing import order_of
from .loader_call import CODE, POSITIONS, LoaderCall
from .picking import one_of_several

_BOUND_AND_USED = 2


def wrapped(loader: LoaderCall, argument: Argument, helper: str) -> Change:
    """What draws the data, or is gone through, gives each process its share."""
    node = argument.value
    text = f"{helper}($0) if {loader.is_shared} else $0"
    operation = Operation.at(OperationKind.EXPRESSION, node, text)
    return done(CODE, "share", loader.place, operation, text=first_line(text_of(node)))


def instead_of_sampler(job: Job, loader: LoaderCall, sampler: Argument) -> Change:
    """``sampler=RandomSampler(data)`` stays for a single process."""
    names = job.names(loader.place)
    dataset = loader.argument("dataset")
    order = order_of(job, loader.value(sampler)) or "True"
    made = _only_made_for(loader, sampler)
    if made is not None:
        data = text_of(arguments_of(made).items[0].value)
        text = f"{names.sampler}({data}, shuffle={order}) if {loader.is_shared} else $0"
        value = Operation.at(OperationKind.EXPRESSION, made, text)
        return done(CODE, "sampler_added", loader.place, value, text=data)
    data = text_of(dataset.value) if dataset is not None else ""
    before, operations = _dataset_variable(job, loader, "train")
    data = before or data
    text = f"{names.sampler}({data}, shuffle={order}) if {loader.is_shared} else $0"
    value = Operation.at(OperationKind.EXPRESSION, sampler.value, text)
    return done(CODE, "sampler_added", loader.place, *operations, value, text=data)


def _only_made_for(loader: LoaderCall, sampler: Argument) -> Node | None:
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


def with_variable(job: Job, loader: LoaderCall) -> Change:
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
    statement = statement_around(place.node)
    operations += more
    operations.append(Operation.at(OperationKind.BEFORE, statement, f"{sampler} = {made}\n"))
    operations += _loader_operations(loader, sampler, order)
    return done(CODE, "sampler_added", place, *operations, text=data)


def within_expression(job: Job, loader: LoaderCall) -> Change:
    """The sampler in the call itself, where there is no statement to put a variable before."""
    names, place = job.names(loader.place), loader.place
    dataset, shuffle = loader.argument("dataset"), loader.argument("shuffle")
    data = text_of(dataset.value) if dataset is not None else ""
    order = text_of(shuffle.value) if shuffle is not None else "False"
    only = one_of_several(place.node)
    is_shared = loader.is_shared + (f" and {only}" if only else "")
    steps: list[tuple[str, str]] = []
    if shuffle is not None and order != "False":
        not_shared = f"not ({is_shared})" if " and " in is_shared else f"not {is_shared}"
        alone = not_shared if order == "True" else f"{order} and {not_shared}"
        steps.append(("put", f"2={alone}") if shuffle.keyword is None else ("set", f"shuffle={alone}"))
    sampler = f"{names.sampler}({data}, shuffle={order}) if {is_shared} else None"
    at_sampler = loader.arguments.at(POSITIONS["sampler"])
    steps.append(("put", f"3={sampler}") if at_sampler is not None else ("set", f"sampler={sampler}"))
    call = Operation.at(OperationKind.CALL, place.node, steps=tuple(steps))
    return done(CODE, "sampler_added", place, call, text=data)


def _dataset_variable(job: Job, loader: LoaderCall, stem: str) -> tuple[str, list[Operation]]:
    """A variable for a data set that is an expression, for two places need it; nothing for a name."""
    dataset = loader.argument("dataset")
    if dataset is None or is_simple(dataset.value):
        return "", []
    name = job.names(loader.place).new(f"{stem}_dataset")
    value = dataset.value
    statement = statement_around(loader.place.node)
    text = f"{name} = {loader.place.file.text_of(value)}\n"
    return name, [
        Operation.at(OperationKind.BEFORE, statement, text),
        Operation.at(OperationKind.EXPRESSION, value, name),
    ]


def _order(job: Job, loader: LoaderCall, shuffle: Argument | None, stem: str) -> tuple[str, list[Operation]]:
    """Whether the data are shuffled, as code that may be in two places."""
    splats = loader.splats
    if shuffle is None:
        return (f'bool({splats[0].text}.get("shuffle"))' if splats else "False"), []
    text = loader.place.file.text_of(shuffle.value)
    if is_simple(shuffle.value) or text in ("True", "False"):
        return text, []
    name = job.names(loader.place).new(f"{stem}_shuffle")
    statement = statement_around(loader.place.node)
    return name, [Operation.at(OperationKind.BEFORE, statement, f"{name} = {text}\n")]


def _loader_operations(loader: LoaderCall, sampler: str, order: str) -> list[Operation]:
    """The loader takes the sampler and leaves the order to it."""
    node, shuffle = loader.place.node, loader.argument("shuffle")
    splats = loader.splats
    if splats and shuffle is None:
        splat = splats[0].node
        text = f'($0 if {sampler} is None else {{**$0, "shuffle": False, "sampler": {sampler}}})'
        return [Operation.at(OperationKind.EXPRESSION, splat, text)]
    steps: list[tuple[str, str]] = []
    if shuffle is not None and order != "False":
        alone = f"{sampler} is None" if order == "True" else f"{order} and {sampler} is None"
        steps.append(("put", f"2={alone}") if shuffle.keyword is None else ("set", f"shuffle={alone}"))
    at_sampler = loader.arguments.at(POSITIONS["sampler"])
    steps.append(("put", f"3={sampler}") if at_sampler is not None else ("set", f"sampler={sampler}"))
    return [Operation.at(OperationKind.CALL, node, steps=tuple(steps))]


def _stem(call: Node) -> str:
    """What a loader is called, without the word for it: ``train`` for ``self.train_loader``."""
    assignment = assignment_in(statement_around(call))
    is_given = field(assignment, "right") == call
    name = text_of(field(assignment, "left")).rpartition(".")[2] if is_given else ""
    for word in ("dataloader", "data_loader", "loader"):
        if name.lower().endswith(word):
            name = name[: -len(word)].rstrip("_")
            break
    return name if name.isidentifier() and name not in ("data", "dl") else "train"
