"""Where the processes come from: msrun starts them, and says by variables which one it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_names, scan_strings
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    Argument,
    arguments_of,
    enclosing,
    field,
    is_field,
    last_name,
    text_of,
)

from ..evidence import ROOTS, Evidence
from ..lines import removed
from ..use import Reason, Use, changed, refused

SPAWN = "torch.multiprocessing.spawn"
SET_DEVICE = "torch.cuda.set_device"
_RECORD = "torch.distributed.elastic.multiprocessing.errors.record"
_VARIABLES: Mapping[str, str] = {
    "RANK": "RANK_ID",
    "WORLD_SIZE": "RANK_SIZE",
    "LOCAL_RANK": "DEVICE_ID",
    "MASTER_ADDR": "MS_SCHED_HOST",
    "MASTER_PORT": "MS_SCHED_PORT",
}
"""The variables that torchrun sets, and those of msrun."""
_ENVIRONMENT = frozenset({"os.environ"})
_READERS = frozenset({"os.environ.get", "os.getenv", "os.environ.pop"})
_OPTIONS = frozenset({"--local_rank", "--local-rank"})
_LOCAL_RANK = "int(os.environ.get('DEVICE_ID', {}))"


def uses_of_processes(evidence: Evidence) -> Iterator[Use]:
    """What becomes of the start of processes, where a program is to run in several."""
    if not evidence.context.options.distributed or not evidence.imports:
        return
    for ref in scan_names(evidence.source, ROOTS):
        place = ref.call or ref.node
        statement = parent_of(place)
        if ref.name == _RECORD and statement is not None and statement.type == "decorator":
            evidence.take_care_of(place)
            yield changed(_RECORD, place, [removed(evidence.source.data, statement)])
        elif ref.call is None or statement is None or statement.type != "expression_statement":
            continue
        elif ref.name == SET_DEVICE:
            evidence.take_care_of(ref.call)
            yield changed(SET_DEVICE, statement, [removed(evidence.source.data, statement)])
        elif ref.name == SPAWN:
            evidence.take_care_of(ref.node)
            yield _spawned(ref.call)
    yield from _variables(evidence)
    yield from _options(evidence)


def _spawned(call: Node) -> Use:
    """``spawn(main, args=(a,), nprocs=n)`` as ``main(<number of this process>, a)``."""
    arguments = arguments_of(call)
    function, given = arguments.get("fn", 0), arguments.get("args", 1)
    joins = arguments.get("join", 3)
    if function is None or arguments.unpacked or (joins is not None and text_of(joins.value) != "True"):
        return refused(SPAWN, call, Reason.ARGUMENTS)
    head = f"{text_of(function.value)}({_LOCAL_RANK.format(0)}"
    if given is None:
        return changed(SPAWN, call, [Edit(call.start_byte, call.end_byte, f"{head})")], {"os"})
    parts: list[Node] = [given.value]
    if given.value.type == "tuple":
        parts, head = [one for one in given.value.named_children if one.type != "comment"], f"{head}, "
    else:
        head = f"{head}, *"
    return changed(SPAWN, call, _edits(call, head, parts, arguments.get("nprocs", 2)), {"os"})


def _edits(call: Node, head: str, parts: list[Node], count: Argument | None) -> Iterator[Edit]:
    """The call of a function with what was given to it, the number of processes as msrun says it."""
    start = call.start_byte
    for index, part in enumerate(parts):
        yield Edit(start, part.start_byte, ", " if index else head)
        start = part.end_byte
        if count is not None and text_of(part) == text_of(count.value):
            yield Edit(part.start_byte, part.end_byte, "int(os.environ.get('RANK_SIZE', 1))")
    yield Edit(start, call.end_byte, ")")


def _variables(evidence: Evidence) -> Iterator[Use]:
    """The names of variables of the environment, where they are read."""
    for word, ref in scan_strings(evidence.source, _VARIABLES):
        if ref.text != word or ref.prefix or not _is_read(evidence, ref.node):
            continue
        quote = text_of(ref.node)[0]
        new = f"{quote}{_VARIABLES[word]}{quote}"
        yield changed(f"os.environ.{word}", ref.node, [Edit(ref.node.start_byte, ref.node.end_byte, new)])


def _is_read(evidence: Evidence, string: Node) -> bool:
    parent = parent_of(string)
    if parent is None:
        return False
    if parent.type == "subscript":
        return _is(evidence, field(parent, "value"), _ENVIRONMENT) and not is_field(parent, "left")
    if parent.type == "comparison_operator":
        return _is(evidence, parent.named_children[-1], _ENVIRONMENT)
    call = parent_of(parent) if parent.type == "argument_list" else None
    first = arguments_of(call).at(0) if call is not None else None
    is_first = first is not None and first.value.id == string.id
    return call is not None and is_first and _is(evidence, field(call, "function"), _READERS)


def _is(evidence: Evidence, node: Node | None, names: frozenset[str]) -> bool:
    return evidence.source.names.name_of(node) in names


def _options(evidence: Evidence) -> Iterator[Use]:
    """The option by which torch's launcher says which process it is: msrun gives none."""
    for word, ref in scan_strings(evidence.source, _OPTIONS):
        call = enclosing(ref.node, "call")
        if call is None or ref.text != word or last_name(call) != "add_argument":
            continue
        default = next((one for one in arguments_of(call).items if one.keyword == "default"), None)
        edit = _default(call, default)
        api = f"argparse {word}"
        yield changed(api, call, [edit], {"os"}) if edit else refused(api, call, Reason.LAYOUT)


def _default(call: Node, default: Argument | None) -> Edit | None:
    if default is None:
        arguments = field(call, "arguments")
        last = arguments.named_children[-1] if arguments is not None else None
        if last is None or last.type == "comment":
            return None
        return Edit(last.end_byte, last.end_byte, f", default={_LOCAL_RANK.format(0)}")
    value = default.value
    if value.type not in ("integer", "unary_operator", "none"):
        return None
    old = "0" if value.type == "none" else text_of(value)
    return Edit(value.start_byte, value.end_byte, _LOCAL_RANK.format(old))
