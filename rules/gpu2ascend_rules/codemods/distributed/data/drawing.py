"""How a loader draws its data: from a stream or by a sampler, and whether that can be shared."""

from __future__ import annotations

from collections.abc import Iterator

from ....flow.names.parameters import base_expressions
from ....text.syntax import arguments_of, field, text_of, without_parentheses
from ...program import Place, callee_name, qualified
from ..job import Job
from ..places import below
from .loader_call import LoaderCall

_REPLACEABLE = {"RandomSampler": "True", "SequentialSampler": "False"}
_STREAMS = frozenset({"IterableDataset", "IterDataPipe"})
_NOTHING = ("None", "False")


def stream_in(job: Job, loader: LoaderCall) -> Place | None:
    """The data set of a loader, where it can only be gone through."""
    dataset = loader.argument("dataset")
    found = job.origins.of(loader.value(dataset)) if dataset is not None else []
    return next((item for item in found if _is_stream(job, item)), None)


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
    return any(base.rpartition(".")[2] in _STREAMS for base in _bases(job, place))


def _bases(job: Job, made: Place) -> Iterator[str]:
    """The names of what the class of the program that a call makes an object of derives from."""
    owner = job.program.callee(made)
    is_class = owner is not None and owner.node.type == "class_definition"
    for item in job.program.family(owner) if owner is not None and is_class else ():
        yield from (qualified(Place(item.file, base)) for base in base_expressions(item.node))


def can_be_gone_through(job: Job, stream: Place) -> bool:
    """Whether a stream gives all items in one order; pipelines of libraries share them out by themselves."""
    name = callee_name(stream)
    is_pipe = any(base.endswith("IterDataPipe") for base in _bases(job, stream))
    return not name.startswith("webdataset.") and not is_pipe


def can_be_shared(job: Job, sampler: Place) -> bool:
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


def order_of(job: Job, sampler: Place) -> str | None:
    """Whether a sampler shuffles, as a literal; nothing for one that DistributedSampler cannot stand for."""
    orders: set[str | None] = set()
    for origin in job.origins.of(sampler):
        name = callee_name(origin) if origin.node.type == "call" else ""
        module, _, last = name.rpartition(".")
        is_plain = module.startswith("torch.utils.data") and len(arguments_of(origin.node).items) == 1
        orders.add(_REPLACEABLE.get(last) if is_plain else None)
    return orders.pop() if len(orders) == 1 else None
