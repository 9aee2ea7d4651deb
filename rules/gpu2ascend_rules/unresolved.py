"""Members that a support list speaks of, on receivers whose class the file does not prove.

They are no findings. A project analysis counts them, and asks an oracle about them: what it proves becomes
the finding that it would have been.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import attrs

from .catalog.support import api_support
from .engine.context import Context
from .engine.dispatch import dispatch_for
from .engine.events import MemberRef
from .engine.prefilter import may_matter
from .engine.scan import scan_members
from .engine.severities import with_chosen_severities
from .engine.suppressions import Suppressions
from .facts import SupportStatus
from .inference.classes.torch_classes import MODULE, bases_of
from .inference.npu_branches import NpuBranches
from .inference.walk.reasons import reason
from .model.finding import Finding, Message, Severity
from .model.project.project_view import STANDALONE, ProjectView
from .model.type_oracle import Question, Spot
from .options.options import MigrationOptions
from .receivers.evidence import is_assigned
from .receivers.listed_members import receiver
from .receivers.reachable import is_reachable
from .text.lines import LineIndex
from .text.scopes import Binding
from .text.source_file import SourceFile
from .text.syntax import text_of, without_parentheses

_STATUSES = (SupportStatus.UNSUPPORTED, SupportStatus.FALLBACK_CPU)
"""What is unknown of a class is no reason to look for the class."""


class UnresolvedMember(NamedTuple):
    """A member that may be one of PyTorch's."""

    question: Question
    line: int
    """From 1."""
    prospects: tuple[tuple[str, Finding], ...]
    """By the class that the receiver would have to be of, the finding that it would make."""
    reason: Message
    """Why the file does not prove the receiver's class."""
    can_be_asked: bool
    """Whether to look beyond the file: for what would be an error, where another file could decide."""

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers one of which the receiver would have to be; none where it may be of another class.

        A layer is made by its name, so a file that makes one names it.
        """
        owners = tuple(owner for owner, _ in self.prospects)
        are_layers = all(owner != MODULE and MODULE in bases_of(owner) for owner in owners)
        return owners if are_layers else ()


def unresolved_members(
    source: SourceFile, options: MigrationOptions, project: ProjectView = STANDALONE
) -> tuple[UnresolvedMember, ...]:
    """The members in a file that a support list may speak of, by place."""
    ctx = Context(source, attrs.evolve(options, unknown_apis=False), project)
    if not may_matter(source.data, project, options.route):
        return ()
    listed = dispatch_for(options.route, ctx.version, options.select, options.ignore).support_listed_members
    codes = {bound.outline.code for handlers in listed.values() for bound in handlers}
    found: dict[int, UnresolvedMember] = {}
    for ref in _candidates(ctx, listed):
        chosen = (item for item in api_support.prospects(ref, ctx) if item[1].code in codes)
        prospects = tuple(_kept(chosen, ctx))
        if prospects and ref.identifier.start_byte not in found:
            found[ref.identifier.start_byte] = _unresolved(ref, prospects, ctx)
    return tuple(found[offset] for offset in sorted(found))


def resolved_finding(member: UnresolvedMember, class_name: str, options: MigrationOptions) -> Finding | None:
    """The finding that a member makes once its receiver's class is known, if it makes one."""
    by_class = dict(member.prospects)
    found = next((by_class[base] for base in bases_of(class_name) if base in by_class), None)
    return next(iter(with_chosen_severities([found], options.severities))) if found is not None else None


def _candidates(ctx: Context, statuses: Iterable[str]) -> Iterator[MemberRef]:
    for status in _STATUSES:
        if status.value not in statuses:
            continue
        for ref in scan_members(ctx.source, ctx.support_listed_members(status.value)):
            if ref.call is None or is_assigned(ref) or _is_of_a_library(ref, ctx):
                continue
            if receiver(ref, ctx) is None:
                yield ref


def _is_of_a_library(ref: MemberRef, ctx: Context) -> bool:
    """Whether the receiver is a module, or comes out of one that is not the project's."""
    name = ref.receiver_name
    if name is None:
        return False
    module, _, last = name.rpartition(".")
    has_module, path = ctx.project.has_module, ctx.source.path
    return has_module(path, name) or not (last and module and has_module(path, module))


def _kept(prospects: Iterator[tuple[str, Finding]], ctx: Context) -> Iterator[tuple[str, Finding]]:
    """Those that a check would keep, had it made them."""
    source = ctx.source
    ignores = Suppressions(source, with_file=ctx.options.project_settings)
    by_finding = {finding: owner for owner, finding in prospects}
    for finding in NpuBranches(source).keep(ignores.keep(by_finding)):
        yield by_finding[finding], finding


def _unresolved(ref: MemberRef, prospects: tuple[tuple[str, Finding], ...], ctx: Context) -> UnresolvedMember:
    lines = ctx.source.lines
    base = without_parentheses(ref.receiver)
    bindings: tuple[Binding, ...] = ()
    if base.type == "identifier":
        bindings = ctx.source.names.bindings_in_scope(text_of(base), base)
    would_fail = any(finding.severity is Severity.ERROR for _, finding in prospects)
    can_be_asked = would_fail and is_reachable(base, ctx)
    spots = tuple(_spot(binding.node.start_byte, lines) for binding in bindings)
    member = _spot(ref.identifier.start_byte, lines)
    question = Question(ctx.source.path, member, ref.name, spots)
    why = reason(ctx.instances.unfollowed(base))
    return UnresolvedMember(question, member.line, prospects, why, can_be_asked)


def _spot(offset: int, lines: LineIndex) -> Spot:
    position = lines.position(offset)
    return Spot(position.line + 1, position.column)
