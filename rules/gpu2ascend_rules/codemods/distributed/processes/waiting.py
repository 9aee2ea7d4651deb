"""NPU426 for files that are read back: what one process writes, the others must not read before."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.finding import Severity
from ....text.syntax import enclosing, field, text_of
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name
from ..job import Job
from .main_process import CODE


def wait_for_files(job: Job) -> Iterator[Change]:
    """The changes before ``torch.load``, in a program that saves as well.

    All processes wait where all come by: before a condition that they may answer differently, never below it.
    """
    calls = list(job.program.places("call"))
    if not any(callee_name(call) == "torch.save" for call in calls):
        return
    seen: set[tuple[str, int]] = set()
    for call in calls:
        if callee_name(call) != "torch.load" or _is_of_an_item(call):
            continue
        places = job.meeting.before(call)
        if not places:
            yield reported_only(CODE, "unwaited", call, Severity.WARNING, text=first_line(call.text))
        for place in places:
            if place.key not in seen:
                seen.add(place.key)
                yield _waited(job, place, call)


def _waited(job: Job, place: Place, call: Place) -> Change:
    dist = job.names(place).dist
    text = f"if {dist}.is_initialized():\n    {dist}.barrier()\n"
    before = Operation(OperationKind.BEFORE, place.node.start_byte, place.node.end_byte, text)
    # What another process writes must be waited for, whatever this line says.
    found = done(CODE, "waited", place, before, text=first_line(call.text))
    return found._replace(can_go=False)


def _is_of_an_item(call: Place) -> bool:
    """Whether a data set reads its items: workers do so, which are no processes of the group."""
    function = enclosing(call.node, "function_definition")
    name = field(function, "name")
    return name is not None and text_of(name) in ("__getitem__", "__iter__", "__next__", "__getitems__")
