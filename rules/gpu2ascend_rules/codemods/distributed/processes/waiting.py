"""NPU426 for files that are read back: what one process writes, the others must not read before."""

from __future__ import annotations

from collections.abc import Iterator

from ....limits.below import nodes_below
from ....model.finding import Severity
from ....text.scopes import scope_of
from ....text.syntax import arguments_of, enclosing, field, last_name, text_of
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, function_around
from ..job import Job
from ..places import are_apart
from .main_process import CODE, value_of_with

_ANY_FILE = "torch.load"
"""Checkpoints are found in many ways, by patterns as well: it is waited for any file of that kind."""
_WRITTEN_BY = {
    "torch.load": ("torch.save",),
    "torch.jit.load": ("torch.jit.save",),
    "pickle.load": ("pickle.dump",),
    "json.load": ("json.dump",),
    "yaml.load": ("yaml.dump", "yaml.safe_dump"),
    "yaml.safe_load": ("yaml.dump", "yaml.safe_dump"),
    "joblib.load": ("joblib.dump",),
    "numpy.load": ("numpy.save", "numpy.savez", "numpy.savez_compressed"),
    "numpy.loadtxt": ("numpy.savetxt",),
    "pandas.read_csv": ("to_csv",),
    "pandas.read_json": ("to_json",),
    "pandas.read_pickle": ("to_pickle",),
    "safetensors.torch.load_file": ("safetensors.torch.save_file",),
}
"""What reads a file, with what writes one of its kind; methods by their name alone."""
_FILE_FIRST = ("numpy.", "to_")
"""What writes to its first argument, and not to its second."""
_NAMES_OF_FILES = ("f", "file", "fp", "stream", "filename", "fname", "path_or_buf", "filepath_or_buffer")
_LOOPS = frozenset({"for_statement", "while_statement"})

_Key = tuple[object, ...]


def wait_for_files(job: Job) -> Iterator[Change]:
    """The changes before what reads a file, in a program that writes such a file as well.

    All processes wait where all come by: before a condition that they may answer differently, never below it.
    """
    calls = list(job.program.places("call"))
    seen: set[tuple[str, int]] = set()
    for call in calls:
        name = callee_name(call)
        if name not in _WRITTEN_BY or _is_of_an_item(call) or not _is_read_back(job, call, calls):
            continue
        places = job.meeting.before(_opened(job, call))
        if not places or any(_is_written_below(job, place, call) for place in places):
            yield reported_only(CODE, "unwaited", call, Severity.WARNING, text=first_line(call.text))
            continue
        for place in places:
            if place.key not in seen:
                seen.add(place.key)
                yield _waited(job, place, call)


def _waited(job: Job, place: Place, call: Place) -> Change:
    dist = job.names(place).dist
    text = f"if {dist}.is_initialized():\n    {dist}.barrier()\n"
    before = Operation.at(OperationKind.BEFORE, place.node, text)
    # What another process writes must be waited for, whatever this line says.
    found = done(CODE, "waited", place, before, text=first_line(call.text))
    return found._replace(can_go=False)


def _is_of_an_item(call: Place) -> bool:
    """Whether a data set reads its items: workers do so, which are no processes of the group."""
    function = enclosing(call.node, "function_definition")
    name = field(function, "name")
    return text_of(name) in ("__getitem__", "__iter__", "__next__", "__getitems__")


def _is_read_back(job: Job, read: Place, calls: list[Place]) -> bool:
    """Whether the program writes what is read: any checkpoint, else a file of the same path."""
    name = callee_name(read)
    writing = [call for call in calls if _written_by(call) in _WRITTEN_BY[name]]
    if name == _ANY_FILE or not writing:
        return bool(writing)
    path = _path_of(job, read)
    return any(path & _path_of(job, call) for call in writing) and not _is_in_turn(job, read)


def _written_by(call: Place) -> str:
    method = last_name(call.node)
    return method if method.startswith("to_") else callee_name(call)


def _is_in_turn(job: Job, place: Place) -> bool:
    """Whether a function reads that is called to download: there one process goes first, and none waits."""
    pending, seen = [place], set[tuple[str, int]]()
    for item in pending:
        function = function_around(item)
        if function is None or function.key in seen:
            continue
        seen.add(function.key)
        calls = job.program.calls_of(function)
        if any(callee_name(call) and arguments_of(call.node).keyword("download") for call in calls):
            return True
        pending += calls
    return False


def _file_of(call: Place) -> Place | None:
    """The path, or the open file, that a call reads or writes."""
    arguments = arguments_of(call.node)
    name = _written_by(call)
    position = 0 if name in _WRITTEN_BY or name.startswith(_FILE_FIRST) else 1
    given = arguments.at(position) or next(
        (item for item in arguments.items if item.keyword in _NAMES_OF_FILES), None
    )
    return Place(call.file, given.value) if given is not None else None


def _openings(job: Job, file: Place) -> list[Place]:
    """The calls that open a file, where it is given as an open one."""
    value = value_of_with(file)
    values = [value] if value is not None else job.origins.of(file)
    return [item for item in values if item.node.type == "call" and last_name(item.node) == "open"]


def _opened(job: Job, read: Place) -> Place:
    """Where a file is opened that is read: nobody may do so before it is written."""
    file = _file_of(read)
    around = function_around(read)
    for opening in _openings(job, file) if file is not None else ():
        is_here = opening.file is read.file and function_around(opening) == around
        if is_here and opening.node.start_byte < read.node.start_byte:
            return opening
    return read


def _path_of(job: Job, call: Place) -> frozenset[_Key]:
    """What is known of the path of a file; two that have something in common may be one."""
    file = _file_of(call)
    if file is None:
        return frozenset()
    openings = _openings(job, file)
    given = ((item.file, arguments_of(item.node).at(0)) for item in openings)
    paths = [Place(source, path.value) for source, path in given if path is not None]
    return frozenset(_key(origin) for path in paths or [file] for origin in job.origins.of(path))


def _key(path: Place) -> _Key:
    """A variable of another function is another one; any other text says the same everywhere."""
    if path.node.type == "identifier":
        return path.file.path, scope_of(path.node).id, path.text
    return (path.text.strip("\"'") if path.node.type == "string" else path.text,)


def _is_written_below(job: Job, statement: Place, read: Place) -> bool:
    """Whether the file is written within the statement before which all wait, on the way to where it is read.

    No place is left then at which all could wait for it.
    """
    outer = statement.node
    if statement.file is not read.file or not outer.start_byte <= read.node.start_byte < outer.end_byte:
        return False
    for node in nodes_below(outer):
        is_before = node.end_byte <= read.node.start_byte or outer.type in _LOOPS
        is_on_the_way = node.type == "call" and is_before and not are_apart(node, read.node)
        if is_on_the_way and _writes(job, Place(read.file, node), read):
            return True
    return False


def _writes(job: Job, call: Place, read: Place) -> bool:
    """Whether a call, or a function of the program that it calls, writes a file of the kind that is read."""
    pending, seen = [call], set[tuple[str, int]]()
    for item in pending:
        if _written_by(item) in _WRITTEN_BY[callee_name(read)]:
            return True
        owner = job.program.callee(item)
        if owner is not None and owner.node.type == "function_definition" and owner.key not in seen:
            seen.add(owner.key)
            pending += [Place(owner.file, node) for node in nodes_below(owner.node) if node.type == "call"]
    return False
