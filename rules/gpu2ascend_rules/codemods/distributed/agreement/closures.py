"""NPU427: an optimizer that decides on the loss of its closure decides on that of all processes."""

from __future__ import annotations

from collections.abc import Iterator

from ....inference.walk.targets import values_returned
from ....model.finding import Severity
from ....text.syntax import called_on
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, function_around
from ..data.loops import backward_calls, steps_with
from ..job import Job

CODE = "NPU427"
_DECIDES = "LBFGS"


def agree_on_losses(job: Job) -> Iterator[Change]:
    """The changes of what closures return to optimizers that search by it, or may."""
    seen: set[tuple[str, int]] = set()
    for place in backward_calls(job.program):
        closure = function_around(place)
        if closure is None or closure.key in seen:
            continue
        seen.add(closure.key)
        steps = [step for step in steps_with(closure, job.program) if _decides(job, step)]
        for value in values_returned(closure.node) if steps else ():
            found = Place(closure.file, value)
            if not all(job.meeting.is_common(step) for step in steps):
                text = first_line(found.text)
                yield reported_only(CODE, "undecided", found, Severity.ERROR, text=text)
                continue
            text = f"{job.names(found).mean_over_processes}($0)"
            operation = Operation.at(OperationKind.EXPRESSION, value, text)
            yield done(CODE, "reduced", found, operation, text=first_line(found.text))._replace(can_go=False)


def _decides(job: Job, step: Place) -> bool:
    """Whether an optimizer looks at the loss: LBFGS does, others of torch do not."""
    receiver = called_on(step.node)
    made = job.origins.of(Place(step.file, receiver)) if receiver is not None else []
    names = [callee_name(item) if item.node.type == "call" else "" for item in made]
    is_plain = bool(names) and all(name.startswith("torch.optim.") for name in names)
    return not is_plain or any(name.endswith(_DECIDES) for name in names)
