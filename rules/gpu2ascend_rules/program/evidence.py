"""What single files show of words about which no proven use decides: names, comparisons, lists.

Each file that a word comes to is asked what the expression there is used as, as it is asked about a literal:
a word that another file names is then decided as one that stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tree_sitter import Node

from ..engine.context import Context
from ..flow.guards.cuda_guards import Guard, guard_of
from ..flow.guards.guarded_code import changes_with, decides_over_moves
from ..flow.guards.kernel_tables import is_key_of_kernel
from ..flow.names.definition import FUNCTION, NAME, Definition
from ..flow.names.files import ProgramFile
from ..flow.names.given_arguments import given_arguments, place_of_parameter
from ..flow.names.uses import Uses
from ..flow.subject import Subject
from ..flow.subjects.device_choices import is_chosen_by_device
from ..flow.subjects.devices import DEVICES, tests_npu_too
from ..flow.templates import string_template
from ..flow.tracing.constants import DISPLAYS
from ..flow.tracing.values import End, EndKind, Value
from ..flow.verdicts import Role, Verdict
from ..flow.word_flow import flow_of
from ..limits.parents import parent_of
from ..limits.walks import PROGRAM_LIMITS
from ..text.scopes import BindingKind
from ..text.syntax import called_on, enclosing, last_name, passed_to, same, text_of
from .units import Unit

_OF_SUBJECT = frozenset({Role.CONSUMED, Role.MAPPING, Role.TEST, Role.NAMED})
_BEGINS = frozenset({"startswith", "endswith"})
_OF_LISTS = frozenset({Role.OPTION, Role.MEMBER})
"""Roles that count where the place proves them, or what it guards changes."""


class Evidence:
    """Asks files about words of one subject."""

    def __init__(self, subject: Subject, uses: Uses) -> None:
        self._subject = subject
        self._uses = uses

    def is_left_open(self, arrivals: Sequence[Value]) -> bool:
        """Whether the file of a word does not find by itself what it is used as.

        Args:
            arrivals: The word, and where it is read. That of a configuration has no file that could.
        """
        literal, *reads = arrivals or (None,)
        if literal is None or literal.node.type != "string":
            return False
        verdict = flow_of(self._subject, literal.file.ctx).role_of_string(literal.node)
        if verdict.role is Role.CONSUMED:
            return _guards_cuda_alone(reads)
        if verdict.role is Role.SHOWN:
            return any(self._is_compared_with_argument(value) for value in (literal, *reads))
        return verdict.role is Role.UNKNOWN and not verdict.library

    def shown(self, unit: Unit, arrivals: Iterable[Value]) -> Iterator[End]:
        """The ends that files show of a unit, besides its proven uses."""
        if unit.outcome is None:
            arrivals = list(arrivals)
            reads = [value for value in arrivals if value.is_read]
            yield from map(_refusal, reads) if _guards_cuda_alone(reads) else self._held(arrivals)
        if unit.is_only_compared and len(unit.ends) < PROGRAM_LIMITS.uses:  # else there may be more tests
            words = [value for value in arrivals if value.node.type == "string"]
            if not any(is_key_of_kernel(value.node, value.file.ctx) for value in words):
                yield from _where(is_chosen_by_device, words)
        elif unit.is_tested_by_others:
            yield from _where(decides_over_moves, arrivals)

    def _held(self, arrivals: Iterable[Value]) -> Iterator[End]:
        """The ends that files show by what holds a word or is compared with it."""
        for value in arrivals:
            node, file = value.node, value.file
            text = string_template(node) if node.type == "string" else None
            verdict = flow_of(self._subject, file.ctx).role_of_value(node, text)
            is_of_subject = self._is_of_subject(verdict, value) or self._is_compared_with_argument(value)
            if is_of_subject or verdict.role is Role.FOREIGN:
                kind = EndKind.NAMED if is_of_subject else EndKind.REFUSES
                is_served = verdict.role is Role.TEST and self._tests_npu_too(value)
                yield End(kind, file.path, node.start_byte, is_served=is_served, library=verdict.library)

    def _tests_npu_too(self, value: Value) -> bool:
        """Whether the function around a test of a device tests for the NPU too."""
        return self._subject is DEVICES and tests_npu_too(value.node, value.file.ctx)

    def _is_of_subject(self, verdict: Verdict, value: Value) -> bool:
        if verdict.role in _OF_LISTS:
            return verdict.certain or changes_with(verdict.node or value.node, value.file.ctx)
        return verdict.role in _OF_SUBJECT

    def _is_compared_with_argument(self, value: Value) -> bool:
        """Whether a word is compared with a parameter that callers give what is of the subject."""
        return any(self._is_given(value, item) for item in _compared_with(value.node) if item.type == NAME)

    def _is_given(self, value: Value, name: Node) -> bool:
        bindings = value.file.source.names.bindings_in_scope(text_of(name), name)
        if not bindings or bindings[0].kind is not BindingKind.PARAMETER:
            return False
        function = enclosing(bindings[0].node, FUNCTION)
        if function is None:
            return False
        place = place_of_parameter(bindings[0].name, function)
        if value.calls:  # the word came by one call, and that is the one that counts
            last = value.calls[-1]
            return self._is_argument(last.file, last.node, text_of(name), place)
        calls = self._uses.of_function(Definition(value.file, function))
        return any(self._is_argument(other, call, text_of(name), place) for other, call, _ in calls)

    def _is_argument(self, file: ProgramFile, call: Node, name: str, place: int) -> bool:
        given = given_arguments(call).get(name, place) if call.type == "call" else None
        return given is not None and flow_of(self._subject, file.ctx).is_named(given)


def _guards_cuda_alone(reads: Sequence[Value]) -> bool:
    """Whether a word is read in nothing but tests of devices that guard what needs CUDA."""
    return bool(reads) and all(map(_guards_cuda, reads))


def _guards_cuda(read: Value) -> bool:
    others = _compared_with(read.node)
    is_tested = any(item.type in ("string", *DISPLAYS) for item in others)  # then it is the device
    return bool(others) and not is_tested and guard_of(read.node, read.file.ctx) is Guard.CUDA_ONLY


def _refusal(read: Value) -> End:
    return End(EndKind.REFUSES, read.file.path, read.node.start_byte)


def _where(shows: Callable[[Node, Context], bool], arrivals: Iterable[Value]) -> Iterator[End]:
    """The literals whose places show that they are of the subject."""
    for value in arrivals:
        if value.node.type == "string" and shows(value.node, value.file.ctx):
            yield End(EndKind.NAMED, value.file.path, value.node.start_byte)


def _compared_with(node: Node) -> list[Node]:
    """What a word is compared with, or searched for in: ``it.startswith(('cuda', 'xpu'))``."""
    holder = parent_of(node)
    whole = node if holder is None or holder.type not in DISPLAYS else holder
    test, passed = parent_of(whole), passed_to(whole)
    if test is not None and test.type == "comparison_operator":
        return [item for item in test.named_children if not same(item, whole)]
    is_begin = passed is not None and last_name(passed.call) in _BEGINS
    receiver = called_on(passed.call) if passed is not None and is_begin else None
    return [receiver] if receiver is not None else []
