"""What single files show of words about which no proven use decides: names, comparisons, lists.

Each file that a word comes to is asked what the expression there is used as, as it is asked about a literal:
a word that another file names is then decided as one that stands in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..flow.climb.parts import Value as Text
from ..flow.climb.subject import Subject
from ..flow.climb.subject_flow import flow_of
from ..flow.climb.verdicts import Role
from ..flow.guarded_code import changes_with
from ..flow.templates import string_template
from .values import End, EndKind, Value

_OF_SUBJECT = frozenset({Role.CONSUMED, Role.MAPPING, Role.TEST, Role.NAMED})
_OF_LISTS = frozenset({Role.OPTION, Role.MEMBER})
"""Roles that count where the place proves them, or what it guards changes."""


def evidence(subject: Subject, arrivals: Iterable[Value]) -> Iterator[End]:
    """The ends that files show by what holds a word or is compared with it."""
    for value in arrivals:
        node = value.node
        text = string_template(node) if node.type == "string" else subject.sample
        verdict = flow_of(subject, value.file.ctx).climber.climb(Text(node, text))
        is_of_list = verdict.role in _OF_LISTS and (
            verdict.certain or changes_with(verdict.node or node, value.file.ctx)
        )
        is_of_subject = verdict.role in _OF_SUBJECT or is_of_list
        if is_of_subject or verdict.role is Role.FOREIGN:
            kind = EndKind.NAMED if is_of_subject else EndKind.REFUSES
            yield End(kind, value.file.path, node.start_byte, is_certain=True, library=verdict.library)
