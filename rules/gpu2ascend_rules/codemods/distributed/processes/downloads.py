"""NPU426 for data: one process of a host downloads while the others wait."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.finding import Severity
from ....text.syntax import arguments_of, enclosing, enclosing_statement, text_of
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import callee_name
from ..job import Job
from .main_process import CODE


def download_once(job: Job) -> Iterator[Change]:
    """The changes of what downloads."""
    seen: set[tuple[str, int]] = set()
    for call in job.program.places("call"):
        download = arguments_of(call.node).keyword("download")
        if download is None or text_of(download.value) == "False" or callee_name(call) == "":
            continue
        statement = enclosing_statement(call.node)
        key = (call.file.path, statement.start_byte)
        if key in seen:
            continue
        seen.add(key)
        is_plain = statement.type == "expression_statement" and not enclosing(
            call.node, "class_definition", "lambda"
        )
        if not is_plain or not job.meeting.is_common(call):  # one of them would wait for the others
            yield reported_only(CODE, "download", call, Severity.WARNING, text=first_line(call.text))
            continue
        header = f"with {job.names(call).main_process_first}():"
        under = Operation.at(OperationKind.UNDER, statement, header)
        yield done(CODE, "downloaded", call, under, text=first_line(call.text))
