"""NPU420: the process group is joined on the way into the program, and left on the way out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from ....model.finding import Severity
from ....text.source_file import SourceFile
from ....text.syntax import ancestors, arguments_of, field, last_name, parts_of, text_of
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place
from ..job import Job
from ..places import below
from . import import_time
from .main_process import prints

CODE = "NPU420"
_ENDS = frozenset({"exit", "_exit", "SystemExit"})
_DEFINES = frozenset(
    {"import_statement", "import_from_statement", "future_import_statement", "function_definition",
     "class_definition", "decorated_definition", "comment"}
)  # fmt: skip


def main_guard(file: SourceFile) -> Node | None:
    """The statement ``if __name__ == "__main__":`` of a module."""
    for node in file.root.named_children:
        condition = field(node, "condition") if node.type == "if_statement" else None
        if condition is not None and "__name__" in text_of(condition) and "__main__" in text_of(condition):
            return node
    return None


def join_and_leave(job: Job, others: Sequence[Change]) -> Iterator[Change]:
    """The changes of the entry script's main path; what the others ask for must come after it is joined."""
    entry = job.program.entry
    early = list(import_time.places(job, others))
    guard = main_guard(entry)
    main = _main_function(entry)
    is_joined_first = True
    if guard is not None:
        yield from _in_guard(job, guard, is_early=any(place.file is entry for place in early))
    elif _runs(job) or (main is None and _calls(entry)):
        yield from _in_module(job)
    elif main is not None:
        is_joined_first = False
        yield from _in_function(job, main)
    else:
        yield reported_only(CODE, "no_main", Place(entry, entry.root), Severity.ERROR)
        return
    for place in import_time.places(job, [item for item in others if not prints(item)]):
        if place.file is not entry or not is_joined_first:
            yield reported_only(CODE, "import_time", place, Severity.ERROR, text=first_line(place.text))


def _in_guard(job: Job, guard: Node, *, is_early: bool) -> Iterator[Change]:
    """First below the guard; or before all that is made as the module is read."""
    entry, names = job.program.entry, job.names(job.program.entry)
    place = Place(entry, guard)
    yield done(CODE, "joined", place, _at_top(job) if is_early else _at_start(job, guard))
    body = field(guard, "consequence")
    last = _last_statement(body) if body is not None else None
    ending = _exit_call(last) if last is not None else None
    if last is None or ending is None:
        end = Operation.at(OperationKind.BODY_END, guard, f"{names.clean_up}()\n")
        yield done(CODE, "left", place, end)
        return
    yield done(CODE, "left", Place(entry, last), *_before_exit(job, last, ending))


def _before_exit(job: Job, statement: Node, ending: Node) -> list[Operation]:
    """``sys.exit(main())``: the value first, then the process group, then the exit."""
    names = job.names(job.program.entry)
    argument = arguments_of(ending).at(0)
    leave = f"{names.clean_up}()\n"
    if argument is None or argument.value.type != "call":
        return [Operation.at(OperationKind.BEFORE, statement, leave)]
    value = argument.value
    status = names.new("exit_status")
    text = f"{status} = {job.program.entry.text_of(value)}\n{leave}"
    return [
        Operation.at(OperationKind.BEFORE, statement, text),
        Operation.at(OperationKind.EXPRESSION, value, status),
    ]


def _last_statement(body: Node) -> Node | None:
    statements = parts_of(body)
    return statements[-1] if statements else None


def _exit_call(statement: Node) -> Node | None:
    """The call by which a statement ends the process."""
    inner = statement.named_children[0] if statement.named_children else None
    if (
        inner is None
        or inner.type != "call"
        or statement.type not in ("expression_statement", "raise_statement")
    ):
        return None
    return inner if last_name(inner) in _ENDS else None


def _at_start(job: Job, block: Node) -> Operation:
    call = f"{job.names(job.program.entry).set_up}()\n"
    return Operation.at(OperationKind.BODY_START, block, call)


def _at_top(job: Job) -> Operation:
    call = f"{job.names(job.program.entry).set_up}()\n"
    return Operation(OperationKind.HELPERS, text=f'if __name__ == "__main__":\n    {call}')


def _in_module(job: Job) -> Iterator[Change]:
    """A script that runs where it is: guarded, for workers that load data import it again."""
    entry, names = job.program.entry, job.names(job.program.entry)
    place = Place(entry, entry.root)
    end = f'if __name__ == "__main__":\n    {names.clean_up}()\n'
    yield done(CODE, "joined", place, _at_top(job))
    yield done(CODE, "left", place, Operation(OperationKind.MODULE_END, text=end))


def _in_function(job: Job, main: Node) -> Iterator[Change]:
    """A module that others start by its ``main``."""
    entry, names = job.program.entry, job.names(job.program.entry)
    place = Place(entry, main)
    yield done(CODE, "joined", place, _at_start(job, main))
    if any(node.type == "return_statement" for node in below(main)):
        yield reported_only(CODE, "not_left", place, Severity.WARNING)
        return
    yield done(CODE, "left", place, Operation.at(OperationKind.BODY_END, main, f"{names.clean_up}()\n"))


def _main_function(file: SourceFile) -> Node | None:
    for node in file.root.named_children:
        function = field(node, "definition") if node.type == "decorated_definition" else node
        name = field(function, "name")
        is_function = function is not None and function.type == "function_definition"
        if is_function and text_of(name) == "main":
            return function
    return None


def _runs(job: Job) -> bool:
    """Whether a module, read from top to bottom, loops or calls its own functions: it is the program."""
    entry = job.program.entry
    for node in entry.root.named_children:
        if node.type in ("for_statement", "while_statement"):
            return True
        call = node.named_children[0] if node.type == "expression_statement" else None
        if call is not None and call.type == "call" and job.program.callee(Place(entry, call)) is not None:
            return True
    return False


def _calls(file: SourceFile) -> bool:
    """Whether anything is called as a module is read."""
    statements = (node for node in file.root.named_children if node.type not in _DEFINES)
    return any(
        item.type == "call" and not _is_in_definition(item) for node in statements for item in below(node)
    )


def _is_in_definition(node: Node) -> bool:
    return any(parent.type in ("function_definition", "lambda") for parent in ancestors(node))
