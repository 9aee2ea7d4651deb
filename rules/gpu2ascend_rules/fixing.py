"""From findings to text: the one path by which any fix becomes edits, singly or all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import attrs

from .checking import check
from .custom.rule_base import AlreadyApplied, is_custom
from .edits.fix_edits import ClaimedPlaces, needed_imports
from .edits.fix_titles import title_of
from .edits.offsets import EditTrace, OffsetMap, apply_edits, compose, edited, text_edits
from .edits.planned import Planned, made_of, planned, without_overlaps
from .edits.records import carried, in_given, located, record_of, records_of_codemod
from .edits.refusals import Judge, Refusals
from .edits.required_imports import imports_of
from .model.custom_rule import may_concern_custom
from .model.defects import BREAKS, refused
from .model.finding import REPLACEMENT, Applicability, Edit, Finding, Fix, Message, Severity
from .model.outcome import AppliedFix, Done, FileChange, FixOutcome, MadeFix
from .model.project.project_view import STANDALONE, ProjectView
from .options.options import MigrationOptions
from .text.lines import LineIndex
from .text.plain.text_file import TextFile
from .text.source_file import SourceFile

MAX_PASSES = 5


def apply_fixes(
    source: TextFile,
    options: MigrationOptions,
    project: ProjectView = STANDALONE,
    codemods: Sequence[FileChange] = (),
    *,
    only_custom: bool = False,
    is_sound: Judge | None = None,
    is_chosen: Callable[[Finding, int], bool] = lambda finding, start: True,
) -> FixOutcome:
    """Apply every safe fix, and every unsafe one if the options ask for it.

    Only those are made for which ``is_chosen`` holds of the finding and its beginning in the given text.

    Of two overlapping fixes the one of the lower rule code wins, then the one that begins earlier; the
    other is found again on the new text, for at most :data:`MAX_PASSES` passes. What codemods make of the
    file comes before all rules; each is of the text that the one before it left. With ``only_custom`` the
    user's own rules alone are applied.

    A fix that fails is not made, and its finding says so. With ``is_sound`` that holds for those that break
    the text, too: each pass is judged then, and the guilty are found. It is meant for a file in which the
    fixes are known to have broken something, since it costs a parse of each pass.
    """
    trace = EditTrace()
    refusals = Refusals(is_sound)
    applied: list[AppliedFix] = []
    made: list[tuple[MadeFix, ...]] = []
    given = source.lines
    left: tuple[Finding, ...] = ()
    for codemod in codemods:
        text = source.renewed(codemod.text)
        if not refusals.accepts(text, codemod.edits):
            left += (_refused_codemod(codemod, trace),)
            break  # the others are of the text that it would have left
        applied += records_of_codemod(codemod, trace, given)
        left += tuple(in_given(finding, trace) for finding in codemod.findings)
        made.append(_made_by_codemod(codemod, trace))
        trace.add(codemod.edits)
        refusals.moved(codemod.edits)
        text.derive(source, OffsetMap(codemod.edits).given)
        source = text
    equivalents: set[str] = set()
    passes = 0
    last = before = _unchanged(source, options, project, refusals)

    def is_wanted(item: Finding) -> bool:
        return is_chosen(item, trace.given(item.start))

    for done in _passes(before, options, project, refusals, is_wanted, only_custom=only_custom):
        equivalents.update(*(item.fix.plan.equivalents for item in done.chosen))
        applied += _records(done, last.source.data, trace, given)
        made.append(tuple(_made(item, trace) for item in done.chosen))
        last, passes = done, passes + 1
        trace.add(done.edits)
    remaining = tuple(
        sorted(
            [
                *(carried(finding, trace, given) for finding in left),
                *(located(finding, trace, given) for finding in refusals.marked(last.findings)),
            ],
            key=lambda item: item.start_line,
        )
    )
    by_line = tuple(sorted(applied, key=_by_line))
    return FixOutcome(
        last.source.text,
        by_line,
        remaining,
        passes,
        trace.edits,
        frozenset(equivalents),
        tuple(made),
        tuple(refusals.errors),
        given=before.findings if not codemods else None,
    )


def _made(item: Planned, trace: EditTrace) -> MadeFix:
    finding, requires = item.finding, item.fix.plan.requires
    return MadeFix(finding.code, finding.message, trace.given(finding.start), item.edits, requires)


def _made_by_codemod(codemod: FileChange, trace: EditTrace) -> tuple[MadeFix, ...]:
    """All that a codemod does, as one: its edits make sense together only."""
    if not codemod.edits or not codemod.done:
        return ()
    first = min(codemod.done, key=lambda item: item.start)
    start = trace.given(min(edit.start for edit in codemod.edits))
    return (MadeFix(first.code, first.title, start, codemod.edits),)


def _refused_codemod(codemod: FileChange, trace: EditTrace) -> Finding:
    """That nothing of a codemod was done, in the text as it was given."""
    first = min(codemod.done, key=lambda item: item.start, default=None)
    code, title = (first.code, first.title) if first is not None else ("", Message.of("defect.codemod"))
    start = trace.given(min((edit.start for edit in codemod.edits), default=0))
    return refused(Finding(code, start, start, title, Severity.ERROR), BREAKS)


def composed(data: bytes, passes: Iterable[Iterable[Edit]]) -> tuple[Edit, ...]:
    """The edits of several passes over a text (:attr:`FixOutcome.edits`) as one set that does not overlap."""
    edits: tuple[Edit, ...] = ()
    for made in passes:
        made = tuple(made)
        edits = compose(edits, data, made)
        data = apply_edits(data, made)
    return edits


class Proposal(NamedTuple):
    """An unsafe fix for a person to accept, beside the safe ones of the file."""

    finding: Finding
    fix: Fix
    edits: tuple[Edit, ...]
    """With the imports that the safe fixes do not bring anyway."""
    imports: tuple[Edit, ...] = ()
    """Those of the edits that are such imports."""


def proposals(
    source: TextFile, findings: Iterable[Finding], safe: Iterable[Edit], is_sound: Judge | None = None
) -> tuple[Proposal, ...]:
    """The unsafe fixes that can be made beside the edits ``safe``, each by itself or all of them.

    They overlap neither with those nor with each other; one that would is found again once those are made.
    With ``is_sound`` none is among them that breaks the text.
    """
    claimed = ClaimedPlaces()
    brought: set[str] = set()
    made = set(safe)
    for edit in made:
        claimed.add(edit)
        brought.update(imports_of([edit]))
    chosen = []
    refusals = Refusals(is_sound)
    for item in _planned(source, findings, lambda fix: fix.applicability is Applicability.UNSAFE, refusals):
        imports = [
            edit
            for edit in needed_imports(source, [(item.fix, item.edits)])
            if not brought.issuperset(imports_of([edit]))
        ]
        edits = (*item.edits, *imports)
        if made.issuperset(item.edits):
            continue  # the options had it made with the others
        if all(claimed.admits(edit) for edit in edits):
            for edit in edits:
                claimed.add(edit)
            chosen.append(Proposal(item.finding, item.fix, tuple(sorted(edits)), tuple(imports)))

    def all_made(items: Sequence[Proposal]) -> tuple[TextFile, Iterable[Edit]]:
        edits = made.union(*(item.edits for item in items))
        return edited(source, edits), edits

    return tuple(refusals.admitted(chosen, all_made))


class _FixPass(NamedTuple):
    """One pass of fixes over a file: what was done, and the file after it with what is found there."""

    source: TextFile
    chosen: Sequence[Planned]
    edits: frozenset[Edit]
    imports: tuple[Edit, ...]
    findings: tuple[Finding, ...]
    already_applied: AlreadyApplied


def _unchanged(
    source: TextFile, options: MigrationOptions, project: ProjectView, refusals: Refusals
) -> _FixPass:
    """Before all passes. A rule that fails costs its own findings: the fixes of the others are made."""
    found = check(source, options, project, refusals.note)
    return _FixPass(source, (), frozenset(), (), found, AlreadyApplied())


def _passes(
    start: _FixPass,
    options: MigrationOptions,
    project: ProjectView,
    refusals: Refusals,
    is_chosen: Callable[[Finding], bool],
    *,
    only_custom: bool = False,
) -> Iterator[_FixPass]:
    """The passes that change something: those of the user's own rules, then those of the others."""
    before = start
    stages = (True,) if only_custom else (True, False) if options.custom else (False,)
    for is_custom_stage in stages:
        for _ in range(MAX_PASSES):
            after = _next_pass(before, options, project, refusals, is_chosen, only_custom=is_custom_stage)
            if after is None:
                break
            before = after
            yield before


def _next_pass(
    before: _FixPass,
    options: MigrationOptions,
    project: ProjectView,
    refusals: Refusals,
    is_chosen: Callable[[Finding], bool],
    *,
    only_custom: bool,
) -> _FixPass | None:

    def is_wanted(fix: Fix) -> bool:
        return is_applied(fix, options)

    candidates = filter(is_chosen, before.findings)
    findings = [finding for finding in candidates if is_custom(finding) or not only_custom]
    wanted = without_overlaps(_planned(before.source, findings, is_wanted, refusals))
    chosen = refusals.admitted(wanted, lambda items: made_of(before.source, items)[:2])
    source, edits, imports = made_of(before.source, chosen)
    if source.text == before.source.text:
        return None
    source.derive(before.source, OffsetMap(edits).given)
    refusals.moved(edits)
    already_applied = before.already_applied.after(edits, [(item.finding, item.edits) for item in chosen])
    left = already_applied.without(check(source, options, project, refusals.note))
    return _FixPass(source, chosen, edits, imports, left, already_applied)


def _by_line(record: AppliedFix) -> tuple[int, int, str]:
    return record.start_line, record.end_line, record.code


def is_applied(fix: Fix, options: MigrationOptions) -> bool:
    """Whether a migration with these options applies a fix."""
    if fix.applicability is Applicability.SAFE:
        return True
    wanted = options.replace_unsupported if fix.kind == REPLACEMENT else options.unsafe_fixes
    return fix.applicability is Applicability.UNSAFE and wanted


def _planned(
    source: TextFile, findings: Iterable[Finding], is_wanted: Callable[[Fix], bool], refusals: Refusals
) -> Iterator[Planned]:
    wanted = (item for item in findings if item.fix is not None and is_wanted(item.fix))
    return planned(source, sorted(wanted, key=_precedence), refusals)


def _precedence(finding: Finding) -> tuple[str, int, int]:
    """Of the user's rules the inner of two matches comes first: the outer one is found again around it, while
    nothing is found in what a rule of theirs has written."""
    if is_custom(finding):
        return finding.code, finding.end, -finding.start
    return finding.code, finding.start, finding.end


def _records(done: _FixPass, before: bytes, trace: EditTrace, given: LineIndex) -> list[AppliedFix]:
    seen: set[Edit] = set()
    shared: set[int] = set()
    records: list[AppliedFix] = []
    first_code = ""
    for item in done.chosen:
        title = title_of(item.fix, before)
        first_code = first_code or item.finding.code
        edits = item.edits if id(item.edits) not in shared else ()
        shared.add(id(item.edits))
        for edit in edits:
            if edit not in seen:
                seen.add(edit)
                record = record_of(item.finding.code, title, edit, trace, given)
                records.append(record._replace(kind=item.fix.kind, since=item.fix.since))
    for edit in done.imports:
        title = Message.of("fix.import", statement="; ".join(imports_of([edit])))
        records.append(record_of(first_code, title, edit, trace, given))
    return records


def custom_change(
    source: SourceFile,
    options: MigrationOptions,
    project: ProjectView = STANDALONE,
    is_sound: Judge | None = None,
) -> FileChange | None:
    """What the rules of the options make of a file, before all else; ``None`` where they say nothing.

    Whatever comes after must go without them (:func:`without_custom`), for none matches what it has written.
    """
    if not may_concern_custom(source.data, options.custom):
        return None
    outcome = apply_fixes(source, options, project, only_custom=True, is_sound=is_sound)
    trace = EditTrace(outcome.edits)
    left = tuple(in_given(item.finding, trace) for item in outcome.remaining if is_custom(item.finding))
    done = tuple(_done(item, source) for item in outcome.applied)
    if not done and not left:
        return None
    return FileChange(outcome.text, text_edits(source.text, outcome.text), done, left)


def without_custom(options: MigrationOptions) -> MigrationOptions:
    """The options for what comes after the user's rules."""
    return attrs.evolve(options, custom=())


def _done(item: AppliedFix, source: SourceFile) -> Done:
    """A fix with the beginnings of its lines as its place."""
    first, last = (source.lines.line_start(line - 1) for line in (item.start_line, item.end_line))
    return Done(item.code, item.message, first, last, item.operation)
