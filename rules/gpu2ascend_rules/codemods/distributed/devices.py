"""NPU428: what is fixed to one card is for the card of the process, which set-up has made the current one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...inference.kinds import Kind
from ...limits.parents import parent_of
from ...model.finding import Severity
from ...text.syntax import arguments_of, call_of, enclosing, enclosing_statement, field, last_name, text_of
from ..change import Change, done, first_line, reported_only
from ..operations import Operation, OperationKind
from ..program import Place, callee_name
from .job import Job
from .places import is_simple

_TEXT = re.compile(r"""^[fF]?(["'])(cuda|npu):(%d|%s|%i|\{0?\}|\{.+\}|)\1$""", re.DOTALL)
CODE = "NPU428"
_NUMBERED = re.compile(r"""^([rRuU]?)(["'])(cuda|npu):(\d+)\2$""")
_DEVICE_SETTERS = frozenset({"torch.cuda.set_device", "torch.npu.set_device", "torch_npu.npu.set_device"})
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
_CARDS = re.compile(r"(?:gpu|cuda|device|npu)_?(?:ids?|list)?s?$", re.IGNORECASE)
_SEPARATE = frozenset({"argument_list", "keyword_argument", "assignment", "return_statement"})
"""Where a conditional expression needs no parentheses."""
_DEVICE_REGIONS = frozenset({"torch.cuda.device", "torch.npu.device", "torch_npu.npu.device"})
"""What makes a card the current one for a block."""


class ComposedDevice(NamedTuple):
    """One such device."""

    expression: Node
    """All of it."""
    number: Node
    kind: str
    """The device without a number, as a literal with the quotes of the script."""


def composed_device(string: Node) -> ComposedDevice | None:
    """The device that a string is a part of."""
    match = _TEXT.match(text_of(string))
    if match is None:
        return None
    found = _parts(string, match[3])
    return ComposedDevice(*found, f"{match[1]}{match[2]}{match[1]}") if found is not None else None


def _operands(operation: Node, place: str) -> tuple[Node, Node] | None:
    """``'cuda:%d' % n`` and ``'cuda:' + n``."""
    right, operator = field(operation, "right"), field(operation, "operator")
    wanted = "%" if place.startswith("%") else "+" if not place else None
    is_wanted = operator is not None and text_of(operator) == wanted
    return (operation, _number(right)) if right is not None and is_wanted else None


def _parts(string: Node, place: str) -> tuple[Node, Node] | None:
    """The whole expression and the number in it."""
    interpolations = [part for part in string.named_children if part.type == "interpolation"]
    if interpolations:
        return (string, interpolations[0].named_children[0]) if len(interpolations) == 1 else None
    parent = parent_of(string)
    if parent is None:
        return None
    if parent.type == "binary_operator" and field(parent, "left") == string:
        return _operands(parent, place)
    call = call_of(parent) if parent.type == "attribute" and place.startswith("{") else None
    arguments = arguments_of(call).items if call is not None and last_name(call) == "format" else []
    return (call, arguments[0].value) if call is not None and len(arguments) == 1 else None


def _number(node: Node) -> Node:
    """Without what only turns it into text: ``str(gpu)``, ``(gpu,)``."""
    if node.type == "call" and last_name(node) == "str" and arguments_of(node).items:
        return arguments_of(node).items[0].value
    if node.type in ("tuple", "parenthesized_expression") and len(node.named_children) == 1:
        return node.named_children[0]
    return node


def use_own_device(job: Job) -> Iterator[Change]:
    """The changes of what names a card by its number, each once."""
    seen: set[Change] = set()
    for change in _changes(job):
        if change not in seen:
            seen.add(change)
            yield change


def _changes(job: Job) -> Iterator[Change]:
    numbered = _numbered(job)
    count = len({number for _, number in numbered})
    for place, _ in numbered:
        if count > 1:
            yield reported_only(CODE, "several", place, Severity.ERROR, text=place.text, count=count)
        else:
            yield _without_number(place)
    for place in job.program.places("string"):
        composed = composed_device(place.node)
        if composed is not None:
            device = Place(place.file, composed.expression)
            reported = _option_reported(job, Place(place.file, composed.number))
            yield reported or _unless_shared(job, device, composed.kind)
    for call in job.program.places("call"):
        yield from _of_call(job, call)
    for assignment in job.program.places("assignment"):
        yield from _visible_devices(assignment)


def _numbered(job: Job) -> list[tuple[Place, str]]:
    """The literals ``"cuda:N"`` that are devices, not keys of a dictionary."""
    found: list[tuple[Place, str]] = []
    for place in job.program.places("string"):
        match = _NUMBERED.match(place.text)
        if match is not None and enclosing(place.node, "dictionary") is None:
            found.append((place, match[4]))
    return found


def _without_number(place: Place) -> Change:
    text = re.sub(r":\d+", "", place.text)
    operation = Operation.at(OperationKind.EXPRESSION, place.node, text)
    return done(CODE, "own", place, operation, text=place.text)


def _unless_shared(job: Job, place: Place, device: str) -> Change:
    """``f"cuda:{gpu}"``: the number is for a process on its own."""
    text = f"{device} if {job.names(place).dist}.is_initialized() else $0"
    holder = parent_of(place.node)
    if holder is None or holder.type not in _SEPARATE:
        text = f"({text})"
    operation = Operation.at(OperationKind.EXPRESSION, place.node, text)
    return done(CODE, "own", place, operation, text=place.text)


def _option_reported(job: Job, number: Place) -> Change | None:
    """``args.gpu`` is the card of the process from where the arguments are parsed on, for all its uses."""
    holder, attribute = field(number.node, "object"), field(number.node, "attribute")
    if number.node.type != "attribute" or holder is None or attribute is None:
        return None
    parsed = list(job.origins.of(Place(number.file, holder)))
    if len(parsed) != 1 or parsed[0].node.type != "call" or last_name(parsed[0].node) != "parse_args":
        return None
    (call,) = parsed
    assignment = parent_of(call.node)
    target = field(assignment, "left")
    statement = enclosing_statement(call.node)
    if target is None or target.type != "identifier" or statement.named_children != [assignment]:
        return None
    option = f"{text_of(target)}.{text_of(attribute)}"
    names = job.names(call)
    current = names.npu("torch_npu.npu.current_device")
    text = f"if {names.dist}.is_initialized():\n    {option} = {current}()\n"
    after = Operation.at(OperationKind.AFTER, statement, text)
    return done(CODE, "own", call, after, text=option)


def _of_call(job: Job, call: Place) -> Iterator[Change]:
    name = callee_name(call)
    arguments = arguments_of(call.node)
    if name in _DEVICE_SETTERS:
        statement = enclosing_statement(call.node)
        if statement.type == "expression_statement":
            header = f"if not {job.names(call).dist}.is_initialized():"
            under = Operation.at(OperationKind.UNDER, statement, header)
            yield done(CODE, "own", call, under, text=first_line(call.text))
        else:
            yield reported_only(CODE, "left", call, Severity.ERROR, text=first_line(call.text))
        return
    if name in _DEVICE_REGIONS:
        yield from _region_moved(job, call)
        return
    if name == "torch.device":
        index = arguments.at(1) or arguments.keyword("index")
        if index is not None:
            yield _index_dropped(job, call, index.value, index.keyword)
        return
    function = field(call.node, "function")
    if function is None or function.type != "attribute":
        return
    method, given = field(function, "attribute"), arguments.at(0)
    if method is None or given is None or text_of(method) not in ("cuda", "npu", "to"):
        return
    if _is_of_a_list(given.value):
        yield _item_replaced(job, call, given.value, text_of(method))
    elif job.context(call.file).kind(given.value) is Kind.INTEGER:
        yield _number_replaced(job, call, given.value, text_of(method))


def _region_moved(job: Job, call: Place) -> Iterator[Change]:
    """``with torch.cuda.device(1):``."""
    given = arguments_of(call.node).get("device", 0)
    if given is None or job.context(call.file).kind(given.value) is not Kind.INTEGER:
        return
    reported = _option_reported(job, Place(call.file, given.value))
    if reported is not None:
        yield reported
        return
    operation = _own(job, call, given.value)
    yield done(CODE, "own", call, operation, text=first_line(call.text))


def _own(job: Job, call: Place, number: Node) -> Operation:
    """The process's own device in the place of a number, where there are several processes."""
    current = job.names(call).npu("torch_npu.npu.current_device")
    text = f"{current}() if {job.names(call).dist}.is_initialized() else $0"
    return Operation.at(OperationKind.EXPRESSION, number, text)


def _index_dropped(job: Job, call: Place, index: Node, keyword: str | None) -> Change:
    """``torch.device("cuda", 0)``."""
    if index.type == "integer":
        steps = (("drop", keyword),) if keyword is not None else (("remove", "1"),)
        operation = Operation.at(OperationKind.CALL, call.node, steps=steps)
    elif (reported := _option_reported(job, Place(call.file, index))) is not None:
        return reported
    else:
        operation = _own(job, call, index)
    return done(CODE, "own", call, operation, text=first_line(call.text))


def _number_replaced(job: Job, call: Place, number: Node, method: str) -> Change:
    """``x.cuda(0)``, ``x.to(args.gpu)``."""
    if number.type == "integer" and method != "to":
        operation = Operation.at(OperationKind.CALL, call.node, steps=(("remove", "0"),))
    elif (reported := _option_reported(job, Place(call.file, number))) is not None:
        return reported
    elif number.type == "integer":
        operation = Operation.at(OperationKind.EXPRESSION, number, '"cuda"')
    else:
        operation = _own(job, call, number)
    return done(CODE, "own", call, operation, text=first_line(call.text))


def _is_of_a_list(node: Node) -> bool:
    """``gpu_ids[0]``, ``self.gpu_ids[0]``, ``opt.gpus[0]``: the first of the cards that were asked for."""
    value = field(node, "value") if node.type == "subscript" else None
    return value is not None and _CARDS.match(text_of(value).rpartition(".")[2]) is not None


def _item_replaced(job: Job, call: Place, item: Node, method: str) -> Change:
    """``net.to(gpu_ids[0])``, ``net.cuda(gpu_ids[0])``."""
    shared = f"{job.names(call).dist}.is_initialized()"
    receiver = field(field(call.node, "function"), "object")
    if method == "to" or receiver is None or not is_simple(receiver):
        text = f'"cuda" if {shared} else $0'
        operation = Operation.at(OperationKind.EXPRESSION, item, text)
    else:
        device = f'"cuda" if {shared} else f"cuda:{{{text_of(item)}}}"'
        steps = (("callee", f"{text_of(receiver)}.to"), ("put", f"0={device}"))
        operation = Operation.at(OperationKind.CALL, call.node, steps=steps)
    return done(CODE, "own", call, operation, text=first_line(call.text))


def _visible_devices(assignment: Place) -> Iterator[Change]:
    """``os.environ["CUDA_VISIBLE_DEVICES"] = "0"`` would leave the other processes without a card."""
    left = field(assignment.node, "left")
    statement = parent_of(assignment.node)
    if left is None or left.type != "subscript" or not any(name in text_of(left) for name in _VISIBLE):
        return
    if statement is None or statement.type != "expression_statement":
        return
    environment = text_of(left).partition("[")[0]
    header = f'if not {{"LOCAL_RANK", "RANK_SIZE"}} & {environment}.keys():'
    under = Operation.at(OperationKind.UNDER, statement, header)
    yield done(CODE, "own", assignment, under, text=first_line(assignment.text))
