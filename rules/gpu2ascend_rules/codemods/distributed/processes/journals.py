"""NPU426 for what is kept of a training: logs, files that stay open, names with the time in them.

A file that every process opens is that of rank 0; what the others write goes nowhere, so that all of them
compute the same. A name that is made of the time is that of rank 0 in all processes.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.parents import parent_of, parent_type
from ....model.finding import Severity
from ....text.syntax import (
    Argument,
    ancestors,
    arguments_of,
    enclosing,
    enclosing_statement,
    field,
    last_name,
    text_of,
)
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, function_around
from ..job import Job
from .harmless import table
from .main_process import CODE, is_guarded, is_reported_by_one, is_written_by_one, statement_guarded
from .opening import OPENS, may_go_nowhere, opens_for_writing

_LEVELS = frozenset({"info", "debug", "warning", "warn", "log"})
_LOGGERS = frozenset({"logger", "_logger", "LOGGER", "log", "_log", "LOG"})
_STREAMS = frozenset({"sys.stdout.write", "sys.stdout.flush", "sys.stderr.write", "sys.stderr.flush"})
_HANDLERS = ("logging.FileHandler", "logging.handlers.RotatingFileHandler",
             "logging.handlers.WatchedFileHandler", "logging.handlers.TimedRotatingFileHandler")  # fmt: skip
_STAMPS = frozenset({"strftime", "isoformat", "ctime", "asctime", "uuid1", "uuid4"})
_CLOCKS = ("time.", "datetime.", "uuid.")
_NAMES_A_PLACE = frozenset({"add_argument", "makedirs", "mkdir", "setattr", "set_defaults"})


def guard_journals(job: Job) -> Iterator[Change]:
    """The changes of what is logged, of files that stay open and of names that are made of the time."""
    for call in job.program.places("call"):
        name = callee_name(call)
        if name in _STREAMS or _is_logged(job, call, name):
            if not _is_imported(job, call):
                yield from statement_guarded(job, call, is_report=True)
        elif name == "logging.basicConfig":
            yield from _nowhere_else(job, call, arguments_of(call.node).keyword("filename"))
        elif name in _HANDLERS:
            yield from _nowhere_else(job, call, arguments_of(call.node).get("filename", 0))
        elif name in OPENS:
            yield from _opened(job, call)
        elif _is_stamp(call, name):
            yield from _stamped(job, call)


def _is_logged(job: Job, call: Place, name: str) -> bool:
    """``logging.info(…)``, ``logger.info(…)``; errors are logged by the process that has them."""
    if last_name(call.node) not in _LEVELS:
        return False
    if name.startswith("logging."):
        return True
    function = field(call.node, "function")
    receiver = field(function, "object") if function is not None and function.type == "attribute" else None
    if receiver is None:
        return False
    if text_of(receiver).rpartition(".")[2] in _LOGGERS:
        return True
    return any(callee_name(item).endswith("getLogger") for item in job.origins.of(Place(call.file, receiver)))


def _is_imported(job: Job, call: Place) -> bool:
    """Whether a place is run as a module is imported, when no process knows which it is."""
    is_entry = call.file is job.program.entry
    return not is_entry and function_around(call) is None


def _nowhere_else(job: Job, call: Place, path: Argument | None) -> Iterator[Change]:
    """A file of this name is opened by rank 0; the others write to the null device."""
    if path is None or is_guarded(call.node) or text_of(path.value) == "None":
        return
    if _is_imported(job, call):
        yield reported_only(CODE, "unsure", call, Severity.WARNING, text=first_line(call.text))
        return
    names, node = job.names(call), path.value
    text = f"$0 if {names.is_main_process}() else {names.os}.devnull"
    operation = Operation.at(OperationKind.EXPRESSION, node, text)
    yield done(CODE, "guarded", call, operation, text=first_line(call.text))


def _opened(job: Job, call: Place) -> Iterator[Change]:
    """``f = open(path, "w")``: a file that stays open, perhaps in an object of the project."""
    path = arguments_of(call.node).get("file", 0)
    is_in_with = enclosing(call.node, "with_item") is not None
    if not opens_for_writing(call) or is_reported_by_one(job, call) or is_written_by_one(job, call):
        return
    if may_go_nowhere(job, call):
        yield from _nowhere_else(job, call, path)
    elif not is_in_with and not is_guarded(call.node):
        yield reported_only(CODE, "unsure", call, Severity.WARNING, text=first_line(call.text))


def _is_stamp(call: Place, name: str) -> bool:
    """``datetime.now().strftime(…)``, ``time.strftime(…)``, ``str(time.time())``, ``uuid.uuid4()``."""
    if name == "time.time":
        return enclosing(call.node, "interpolation") is not None or _is_text(call.node)
    if last_name(call.node) not in _STAMPS:
        return False
    function = field(call.node, "function")
    receiver = field(function, "object") if function is not None and function.type == "attribute" else None
    return name.startswith(_CLOCKS) or (
        receiver is not None and any(word in text_of(receiver) for word in ("now", "today", "time"))
    )


def _is_text(call: Node) -> bool:
    """Whether a number becomes a text: ``str(int(time.time()))``."""
    node = call
    while parent_type(node) == "argument_list" and (outer := parent_of(parent_of(node))) is not None:
        node = outer
        if last_name(node) == "str":
            return True
    return False


def _stamped(job: Job, call: Place) -> Iterator[Change]:
    statement = enclosing_statement(call.node)
    if is_guarded(call.node) or not _names_a_place(statement) or _is_part_of(call, (*OPENS, *_HANDLERS)):
        return
    if _is_imported(job, call) or not job.meeting.is_common(call):
        yield reported_only(CODE, "stamped", call, Severity.WARNING, text=first_line(call.text))
        return
    names = job.names(call)
    operations = [Operation.at(OperationKind.EXPRESSION, call.node, f"{names.from_main_process}($0)")]
    if _is_part_of(call, tuple(table()["writers"])):
        stamp = names.new("stamp")
        before = f"{stamp} = {names.from_main_process}({call.file.text_of(call.node)})\n"
        operations = [
            Operation.at(OperationKind.BEFORE, statement, before),
            Operation.at(OperationKind.EXPRESSION, call.node, stamp),
        ]
    yield done(CODE, "stamp", call, *operations, text=first_line(call.text))


def _is_part_of(place: Place, makers: tuple[str, ...]) -> bool:
    """Whether a name is a part of what is given to one of some functions, which rank 0 alone may call."""
    return any(
        parent.type == "call" and callee_name(Place(place.file, parent)) in makers
        for parent in ancestors(place.node)
    )


def _names_a_place(statement: Node) -> bool:
    """Whether a statement keeps a name, or makes a directory of it; a report of the time needs none."""
    if statement.type == "return_statement":
        return True
    inner = statement.named_children[0] if statement.named_children else None
    if statement.type != "expression_statement" or inner is None:
        return False
    return inner.type == "assignment" or (inner.type == "call" and last_name(inner) in _NAMES_A_PLACE)
