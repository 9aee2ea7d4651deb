"""NPU426 for files that are read back: what one process writes, the others must not read before."""

from __future__ import annotations

from collections.abc import Iterator

from ....text.syntax import enclosing_statement
from ...change import Change, done, first_line
from ...operations import Operation, OperationKind
from ...program import callee_name
from ..job import Job
from .main_process import CODE

_STATEMENTS = frozenset({"expression_statement", "return_statement"})


def wait_for_files(job: Job) -> Iterator[Change]:
    """The changes before ``torch.load``, in a program that saves as well."""
    calls = list(job.program.places("call"))
    if not any(callee_name(call) == "torch.save" for call in calls):
        return
    seen: set[tuple[str, int]] = set()
    for call in calls:
        statement = enclosing_statement(call.node)
        key = (call.file.path, statement.start_byte)
        if callee_name(call) != "torch.load" or statement.type not in _STATEMENTS or key in seen:
            continue
        seen.add(key)
        dist = job.names(call).dist
        text = f"if {dist}.is_initialized():\n    {dist}.barrier()\n"
        before = Operation(OperationKind.BEFORE, statement.start_byte, statement.end_byte, text)
        # What another process writes must be waited for, whatever this line says.
        yield done(CODE, "waited", call, before, text=first_line(call.text))._replace(can_go=False)
