"""NPU427: what several processes change without any change of the code, and a person must decide."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.finding import Severity
from ...text.syntax import arguments_of, enclosing, field, text_of
from ..change import Change, first_line, reported_only
from ..program import Place, callee_name
from .data.epochs import counter_of
from .data.loader_call import LoaderCall
from .data.roles import TrainingLoop
from .job import Job

CODE = "NPU427"
_ON_FIGURES = "torch.optim.lr_scheduler.ReduceLROnPlateau"


def advise(job: Job, loops: list[TrainingLoop], shared: set[tuple[str, int]]) -> Iterator[Change]:
    """What is said of batch sizes, random numbers and decisions."""
    reported: set[tuple[str, int]] = set()
    for loop in loops:
        for place in loop.loaders:
            if place.key in shared and place.key not in reported:
                reported.add(place.key)
                yield reported_only(CODE, "batch", place, Severity.INFORMATION, size=_batch_size(job, place))
    for call in job.program.places("call"):
        name = callee_name(call)
        if name == _ON_FIGURES:
            yield reported_only(CODE, "figures", call, Severity.INFORMATION, text=first_line(call.text))
        elif name == "torch.manual_seed":
            yield reported_only(CODE, "seed", call, Severity.INFORMATION)
    for place in _early_ends(job):
        yield reported_only(CODE, "figures", place, Severity.INFORMATION, text="break")


def _batch_size(job: Job, place: Place) -> str:
    """What gives the size of a loader's batches: its own argument, that of its sampler, or the default."""
    loader = LoaderCall(place, arguments_of(place.node), "")
    batches = loader.argument("batch_sampler")
    drawn = job.origins.of(loader.value(batches)) if batches is not None else []
    sizes = [arguments_of(item.node).get("batch_size", 1) for item in drawn if item.node.type == "call"]
    given = next(iter(sizes), None) if batches is not None else loader.arguments.get("batch_size", 1)
    if given is not None:
        return first_line(text_of(given.value))
    is_open = batches is not None or loader.splats or loader.has_list_splat
    return "batch_size" if is_open else "1"


def _early_ends(job: Job) -> Iterator[Place]:
    """Where the loop over epochs is left early, on figures that each process has its own of."""
    for place in job.program.places("break_statement"):
        loop = enclosing(place.node, "for_statement", "while_statement")
        if loop is not None and enclosing(place.node, "if_statement") is not None:
            counter = counter_of(loop)
            if counter is not None and "epoch" in counter.lower() and field(loop, "body") is not None:
                yield place
