"""NPU426: one process writes and reports, where it is certain that the others need not join in."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.below import nodes_in
from ....model.finding import Severity
from ....text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    called_on,
    enclosing,
    enclosing_statement,
    field,
    last_name,
    text_of,
)
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, qualified
from ..job import Job
from .harmless import KEEPS, binds, computes_nothing, computing_calls, inner_calls, is_harmless, table
from .opening import may_go_nowhere, opens_for_writing
from .prints import PRINT, is_other_name_of_print, is_print_passed_on

CODE = "NPU426"
_RECORDS = ("add_", "close", "flush")
_ENDS = KEEPS - {"with_statement"} | {
    "return_statement",
    "break_statement",
    "continue_statement",
    "delete_statement",
    "import_statement",
    "import_from_statement",
}
"""What a file's ``with`` does not hold that one process alone goes through."""


def _called(job: Job, call: Place, name: str) -> Iterator[Change]:
    if name in table()["commands"]:
        yield from _command_run(call)
    elif name in table()["bars"]:
        yield from _bar_disabled(job, call)
    elif name in table()["writers"]:
        yield from _writer_guarded(job, call)
    elif name == "os.makedirs":
        yield from _directory_made(job, call)
    elif last_name(call.node) == "mkdir" and name != "os.mkdir":
        yield from _path_made(job, call)


def guard_reports(job: Job) -> Iterator[Change]:
    """The changes of what writes, prints and shows progress, in every file of the program."""
    is_passed_on = is_print_passed_on(job)
    for call in job.program.places("call"):
        name = callee_name(call)
        if is_passed_on and is_other_name_of_print(job, call):
            name = PRINT
        is_written = name in table()["calls"] or last_name(call.node) in table()["methods"]
        if name in table()["prints"]:
            yield from statement_guarded(job, call, is_report=True)
        elif is_written or _saves_itself(job, call) or _moves_a_file(job, call):
            yield from statement_guarded(job, call)
        elif name in table()["fetches"] or _unpacks(job, call):
            yield from _fetched(call)
        else:
            yield from _called(job, call, name)
    for place in job.program.places("with_statement"):
        yield from _file_written(job, place)


def _saves_itself(job: Job, call: Place) -> bool:
    """``scripted.save(path)``, where all that may be saved is of a library that the table names."""
    receiver = called_on(call.node)
    if receiver is None or last_name(call.node) != "save":
        return False
    origins = job.origins.of(Place(call.file, receiver))
    makers = tuple(table()["saved"])
    return bool(origins) and all(
        origin.node.type == "call" and callee_name(origin).startswith(makers) for origin in origins
    )


def _moves_a_file(job: Job, call: Place) -> bool:
    """``Path(name).rename(other)``: a method of a path, and not that of a text or of a table."""
    return last_name(call.node) in table()["path_methods"] and _is_made_by(job, call, ("pathlib.",))


def _unpacks(job: Job, call: Place) -> bool:
    """``archive.extractall(folder)``."""
    is_named_so = last_name(call.node) in ("extract", "extractall")
    return is_named_so and _is_made_by(job, call, ("zipfile.", "tarfile."))


def _is_made_by(job: Job, call: Place, makers: tuple[str, ...]) -> bool:
    """Whether a method is called of what a library makes, wherever all of it comes from."""
    receiver = called_on(call.node)
    if receiver is None:
        return False
    value = value_of_with(Place(call.file, receiver))
    origins = [value] if value is not None else job.origins.of(Place(call.file, receiver))
    return bool(origins) and all(_first_made(origin).startswith(makers) for origin in origins)


def _first_made(place: Place) -> str:
    """What makes the first part of a path: ``pathlib.Path`` for ``Path(folder) / name``."""
    node: Node | None = place.node
    while node is not None and node.type in ("parenthesized_expression", "binary_operator"):
        node = node.named_children[0]
    return callee_name(Place(place.file, node)) if node is not None and node.type == "call" else ""


def value_of_with(name: Place) -> Place | None:
    """What the ``with`` around a name gives it: the call of ``open`` in ``with open(path) as f``."""
    for parent in ancestors(name.node):
        clause = parent.named_children[0] if parent.type == "with_statement" else None
        for item in clause.named_children if clause is not None else ():
            bound = field(item, "value") if item.type == "with_item" else None
            alias = field(bound, "alias") if bound is not None and bound.type == "as_pattern" else None
            if bound is not None and alias is not None and text_of(alias) == name.text:
                return Place(name.file, bound.named_children[0])
    return None


def _fetched(call: Place) -> Iterator[Change]:
    """Several processes would write the same files, and read what another has only begun."""
    if not is_guarded(call.node):
        yield reported_only(CODE, "fetched", call, Severity.WARNING, text=first_line(call.text))


def _command_run(call: Place) -> Iterator[Change]:
    """What another program does is not known."""
    if not is_guarded(call.node):
        yield reported_only(CODE, "unsure", call, Severity.WARNING, text=first_line(call.text))


def _guard(job: Job, place: Place, statement: Node, text: str) -> Change:
    header = f"if {job.names(place).is_main_process}():"
    operation = Operation.at(OperationKind.UNDER, statement, header)
    return done(CODE, "guarded", place, operation, text=first_line(text))


def is_reported_by_one(job: Job, call: Place) -> bool:
    """Whether a call is a part of a statement that one process alone goes through."""
    for parent in ancestors(call.node):
        if parent.type == "call" and (
            callee_name(Place(call.file, parent)) in table()["calls"] | table()["prints"]
        ):
            return computes_nothing(job, Place(call.file, parent))
    return False


def statement_guarded(job: Job, call: Place, *, is_report: bool = False) -> Iterator[Change]:
    """A call that is a whole statement and computes nothing that all processes take part in."""
    statement = enclosing_statement(call.node)
    if is_guarded(call.node) or is_written_by_one(job, call):
        return
    is_alone = statement.type == "expression_statement" and statement.named_children == [call.node]
    name = callee_name(call)
    if name == "wandb.init" and (not is_alone or _has_its_run_read(job)):
        yield from _run_disabled(job, call)
    elif name == "wandb.config.update" and _has_its_run_read(job):
        return  # what all of them read, all of them set
    elif is_alone and computes_nothing(job, call):
        yield _guard(job, call, statement, call.text)
    elif is_alone and (computing := computing_calls(job, call)) is not None:
        yield _computed_by_all(job, call, statement, computing)
    elif not is_report:
        yield reported_only(CODE, "unsure", call, Severity.WARNING, text=first_line(call.text))
    else:
        yield reported_only(CODE, "printed", call, Severity.INFORMATION, text=first_line(call.text))


def prints(change: Change) -> bool:
    """Whether a change is of what is printed only, which does no harm if every process does it."""
    return change.place.node.type == "call" and callee_name(change.place) in table()["prints"]


def computed_apart(changes: list[Change]) -> Iterator[Change]:
    """The changes without those that would compute beforehand what another change alters where it is."""
    for change in changes:
        first, *inner = change.operations or (Operation(OperationKind.REMOVE),)
        spans = [item for item in inner if item.kind is OperationKind.EXPRESSION]
        is_computed = change.code == CODE and first.kind is OperationKind.BEFORE and bool(spans)
        if is_computed and any(_alters(other, change, span) for other in changes for span in spans):
            key, severity = (
                ("printed", Severity.INFORMATION) if prints(change) else ("unsure", Severity.WARNING)
            )
            yield reported_only(CODE, key, change.place, severity, text=first_line(change.place.text))
        else:
            yield change


def _alters(other: Change, change: Change, span: Operation) -> bool:
    """Whether another change has an operation within a span."""
    return (
        other is not change
        and other.place.file is change.place.file
        and any(span.start <= item.start < item.end <= span.end for item in other.operations)
    )


def _computed_by_all(job: Job, call: Place, statement: Node, computing: list[Node]) -> Change:
    """All processes compute, in a statement before, what one of them writes or prints."""
    names = [job.names(call).new("computed") for _ in computing]
    lines = (f"{name} = {call.file.text_of(node)}\n" for name, node in zip(names, computing, strict=True))
    before = Operation.at(OperationKind.BEFORE, statement, "".join(lines))
    guard = _guard(job, call, statement, call.text)
    values = (
        Operation.at(OperationKind.EXPRESSION, node, name)
        for name, node in zip(names, computing, strict=True)
    )
    return guard._replace(operations=(before, *values, *guard.operations))


def is_guarded(node: Node) -> bool:
    """Whether the script asks already which process it is."""
    for parent in ancestors(node):
        condition = field(parent, "condition") if parent.type == "if_statement" else None
        if condition is not None and any(
            word in text_of(condition) for word in ("rank", "is_main", "is_master")
        ):
            return True
    return False


def _has_its_run_read(job: Job) -> bool:
    """Whether ``wandb.config`` and the like are looked at, which raises where there is no run."""
    return any(
        qualified(place) in ("wandb.config", "wandb.summary", "wandb.run")
        and not is_guarded(place.node)
        and not text_of(enclosing_statement(place.node)).startswith("wandb.config.update(")
        for place in job.program.places("attribute")
    )


def _run_disabled(job: Job, call: Place) -> Iterator[Change]:
    """``run = wandb.init(…)``: the other processes have a run that records nothing."""
    if arguments_of(call.node).keyword("mode") is not None:
        yield reported_only(CODE, "unsure", call, Severity.WARNING, text=first_line(call.text))
        return
    mode = f'None if {job.names(call).is_main_process}() else "disabled"'
    yield _call_changed(call, ("set", f"mode={mode}"))


def _bar_disabled(job: Job, call: Place) -> Iterator[Change]:
    if arguments_of(call.node).keyword("disable") is None:
        yield _call_changed(call, ("set", f"disable=not {job.names(call).is_main_process}()"))


def _directory_made(job: Job, call: Place) -> Iterator[Change]:
    """Several processes may come to make the same directory; one that must be new is made by one of them."""
    arguments = arguments_of(call.node)
    said = arguments.get("exist_ok", 2)
    if said is not None and text_of(said.value) == "False":
        yield from statement_guarded(job, call)
    elif said is None and not arguments.unpacked and not is_guarded(call.node):
        yield _call_changed(call, ("set", "exist_ok=True"))


def _path_made(job: Job, call: Place) -> Iterator[Change]:
    arguments = arguments_of(call.node)
    names = {item.keyword for item in arguments.items}
    is_path = not arguments.positional and names <= {"parents", "exist_ok", "mode"}
    said = arguments.keyword("exist_ok")
    if is_path and said is not None and text_of(said.value) == "False":
        yield from statement_guarded(job, call)
    elif is_path and said is None and not is_guarded(call.node):
        yield _call_changed(call, ("set", "exist_ok=True"))


def _call_changed(call: Place, *steps: tuple[str, str]) -> Change:
    operation = Operation.at(OperationKind.CALL, call.node, steps=steps)
    return done(CODE, "guarded", call, operation, text=first_line(call.text))


def _writer_guarded(job: Job, call: Place) -> Iterator[Change]:
    """A TensorBoard writer exists in one process, and so do its uses."""
    statement = enclosing_statement(call.node)
    assignment = statement.named_children[0] if statement.type == "expression_statement" else None
    left = field(assignment, "left")
    if left is None or field(assignment, "right") != call.node or is_guarded(call.node):
        if not is_guarded(call.node):
            yield reported_only(CODE, "unsure", call, Severity.WARNING, text=first_line(call.text))
        return
    uses = list(_uses_of(job, call))
    loose = [use for use in uses if not _is_left_to_one(use)]
    if loose:
        yield reported_only(CODE, "writer", call, Severity.WARNING, text=first_line(loose[0].text))
        yield from (
            _guard(job, use, enclosing_statement(use.node), use.text)
            for use in uses
            if use not in loose and computes_nothing(job, use)
        )
        return
    text = f"$0 if {job.names(call).is_main_process}() else None"
    value = Operation.at(OperationKind.EXPRESSION, call.node, text)
    yield done(CODE, "guarded", call, value, text=first_line(call.text))
    for use in uses:
        yield _guard(job, use, enclosing_statement(use.node), use.text)._replace(decided_at=call)


def _is_left_to_one(use: Place) -> bool:
    """Whether a use of a writer records something, and gives nothing that the others would need."""
    is_recording = use.node.type == "call" and last_name(use.node).startswith(_RECORDS)
    return is_recording and enclosing_statement(use.node).type == "expression_statement"


def _uses_of(job: Job, writer: Place) -> Iterator[Place]:
    """What is asked of a writer: the calls of its methods, and its other attributes."""
    for use in job.program.places("attribute"):
        receiver, call = field(use.node, "object"), call_of(use.node)
        if receiver is None or is_guarded(use.node):
            continue
        if any(origin.key == writer.key for origin in job.origins.of(Place(use.file, receiver))):
            yield Place(use.file, call) if call is not None else use


def _file_written(job: Job, place: Place) -> Iterator[Change]:
    """``with open(path, "w") as f:``, when all that is in it is put into the file."""
    opened = [node for node in inner_calls(place.node) if opens_for_writing(Place(place.file, node))]
    if not opened or opened[0].start_byte > _body_start(place.node) or is_guarded(place.node):
        return
    if _only_puts(job, place):
        yield _guard(job, place, place.node, text_of(opened[0]))
    elif not may_go_nowhere(job, Place(place.file, opened[0])):
        yield reported_only(CODE, "unsure", place, Severity.WARNING, text=first_line(place.text))


def _only_puts(job: Job, place: Place) -> bool:
    """Whether nothing is done below a ``with`` but put things into its file."""
    body = field(place.node, "body")
    if body is None or binds(body, _ENDS) or _is_needed_later(place, body):
        return False
    calls = (Place(place.file, item) for item in inner_calls(body))
    return all(is_harmless(job, item) or _puts(item) for item in calls)


def _is_needed_later(place: Place, body: Node) -> bool:
    """Whether a block gives anything a value that is looked at outside of it."""
    for node in nodes_in(body):
        left = field(node, "left") if node.type in ("assignment", "for_statement") else None
        if left is None:
            continue
        targets = left.named_children if left.type in ("pattern_list", "tuple_pattern") else [left]
        for target in targets:
            if target.type != "identifier":
                return True
            inside = range(body.start_byte, body.end_byte)
            if any(use.start_byte not in inside for use in place.file.identifiers(text_of(target))):
                return True
    return False


def _puts(call: Place) -> bool:
    """Whether a call puts something into a file."""
    return callee_name(call) in table()["calls"] or last_name(call.node) in (
        "write", "writelines", "writerow", "writerows", "writer", "writeheader", "DictWriter", "print",
    )  # fmt: skip


def is_written_by_one(job: Job, call: Place) -> bool:
    """Whether a call is in a file's ``with``, which is guarded as a whole."""
    holder = enclosing(call.node, "with_statement")
    if holder is None or not _only_puts(job, Place(call.file, holder)):
        return False
    opened = (node for node in inner_calls(holder) if opens_for_writing(Place(call.file, node)))
    return any(node.start_byte < _body_start(holder) for node in opened)


def _body_start(statement: Node) -> int:
    body = field(statement, "body")
    return body.start_byte if body is not None else statement.end_byte
