"""One pass over a file that feeds every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import ClassVar, Protocol, runtime_checkable

import attrs
from tree_sitter import Node

from .engine.context import Context
from .engine.dispatch import dispatch_for
from .engine.events import NameRef
from .engine.places.parts import findings_of_parts
from .engine.places.scan import may_concern_kind, offered, place_findings
from .engine.prefilter import may_concern, may_cut_texts, may_matter
from .engine.registry import rules_of
from .engine.scan import run
from .engine.severities import with_chosen_severities
from .engine.suppressions import NOTHING_SILENCED, Silenced, Suppressions, may_silence
from .flow.guards.fallbacks import has_fallback
from .flow.guards.needing.hints import may_need_cuda
from .flow.served_branches import ServedBranches
from .inference.npu_branches import NpuBranches
from .kinds.kind import KindFile
from .limits.checkpoints import StoppedError, asking, checkpoint
from .model.custom_rule import PREFIX, may_concern_custom
from .model.defects import failed_rule
from .model.finding import Finding, Severity
from .model.outcome import ApiUse
from .model.project.decisions import begins_number
from .model.project.project_view import STANDALONE, ProjectView, decisions_about
from .notebook.source import NotebookSource
from .options.options import MigrationOptions
from .renames.api_style import in_style
from .targets.target import Target
from .text.names import Certainty
from .text.plain.python_files import is_test_path
from .text.plain.text_file import TextFile
from .text.source_file import SourceFile

ErrorSink = Callable[[str, Exception], None]
"""Receives the code of a rule that failed, and how it failed."""


class CheckCancelledError(StoppedError):
    """The findings are no longer needed."""


def check(
    source: TextFile,
    options: MigrationOptions,
    project: ProjectView = STANDALONE,
    on_error: ErrorSink | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> tuple[Finding, ...]:
    """Every finding in a file, by place.

    Parts that do not parse are skipped; the others still yield findings. A rule that fails is a mistake of
    ours: with ``on_error`` it costs its own findings and no other, and a finding says where it failed;
    without it the exception is raised.
    ``is_cancelled`` is asked at each checkpoint; another thread may set what it answers.

    Raises:
        CheckCancelledError: it was cancelled.
        TimeLimitError: it took longer than the limit of the caller.
        OptionError: the options choose no version.
    """
    found = _found(source, options, project, on_error, is_cancelled)
    return _shown(source, found, options) if found else ()


def silenced(source: TextFile, options: MigrationOptions, project: ProjectView = STANDALONE) -> Silenced:
    """How many findings of a file its own comments, and those of its parts, silence: it is checked once more
    if it has any.

    Raises:
        TimeLimitError: it took longer than the limit of the caller.
        OptionError: the options choose no version.
    """
    if not may_silence(source):
        return NOTHING_SILENCED
    found = _found(source, options, project, lambda code, error: None, None)
    own = Suppressions(source, with_file=options.project_settings).count(found)
    parts = (silenced(SourceFile(part.text, part.path), options, project) for part in source.parts())
    return Silenced(*map(sum, zip(own, *parts, strict=True)))


def _shown(source: TextFile, found: list[Finding], options: MigrationOptions) -> tuple[Finding, ...]:
    """Findings that no comment silences, as grave as was chosen, by place."""
    route = options.route
    changeable = [item if route.changes(item.code) else item._replace(fix=None) for item in found]
    ignores = Suppressions(source, with_file=options.project_settings)
    kept = ignores.keep(in_style(changeable, options.api_style))
    shown = with_chosen_severities(kept, options.severities)
    return tuple(sorted(shown, key=lambda item: (item.start, item.end, item.code, item.message)))


def _found(
    source: TextFile,
    options: MigrationOptions,
    project: ProjectView,
    on_error: ErrorSink | None,
    is_cancelled: Callable[[], bool] | None,
) -> list[Finding]:
    """What rules find in a file, also where a comment silences it."""
    if isinstance(source, KindFile):
        with _cancelled_by(is_cancelled):
            of_parts = tuple(offered(_of_parts(source, options, project, on_error), source))
            found = place_findings(source, options, project, on_error, of_parts)
            return list(dict.fromkeys((*found, *of_parts)))
    if not isinstance(source, SourceFile):
        raise TypeError(f"no rules for a {type(source).__name__}")
    with _cancelled_by(is_cancelled):
        of_module = _of_python(source, options, project, on_error)
        return [*of_module, *_of_cells(source, options, project, on_error)]


def _of_cells(
    source: SourceFile, options: MigrationOptions, project: ProjectView, on_error: ErrorSink | None
) -> Iterator[Finding]:
    """What rules find in the shell code of a notebook, and in its cells that are modules of their own."""
    if isinstance(source, NotebookSource):
        of_parts = tuple(_of_parts(source, options, project, on_error))
        found = place_findings(source.shell, options, project, on_error, of_parts)
        yield from map(source.allowed, dict.fromkeys((*found, *of_parts)))


def _of_parts(
    source: TextFile, options: MigrationOptions, project: ProjectView, on_error: ErrorSink | None
) -> Iterator[Finding]:
    """What rules find in the parts of a file."""

    def examined(part: SourceFile) -> tuple[Finding, ...]:
        found = _of_python(part, options, project, on_error)
        return _shown(part, found, options) if found else ()

    yield from findings_of_parts(source, examined)


def _asked(source: SourceFile, options: MigrationOptions, project: ProjectView) -> tuple[Finding, ...]:
    """What rules make of a text that a rule asks about; those rules ask no further.

    To select a rule is not to select what it asks.
    """
    options = attrs.evolve(options, select=())
    return _shown(source, _of_python(source, options, project, None, asks=False), options)


def _of_python(
    source: SourceFile,
    options: MigrationOptions,
    project: ProjectView,
    on_error: ErrorSink | None,
    *,
    asks: bool = True,
) -> list[Finding]:
    """What rules find in a module.

    Args:
        asks: Whether rules may ask in turn what is found in a text that the module runs.
    """
    if not may_find(source, options, project):
        return []
    found: list[Finding] = []
    python = partial(_asked, options=options, project=project) if asks else _nothing
    with Context(source, options, project, python) as context:
        if may_matter(source.data, project, options.route) or _may_count(source, options, project):
            kept = NpuBranches(source).keep(set(_findings(context, on_error)))
            found += ServedBranches(context).keep(kept)
        if options.custom:
            found += set(_custom_findings(context, on_error))
    return found


def _nothing(source: SourceFile) -> tuple[Finding, ...]:
    return ()


def may_find(source: SourceFile, options: MigrationOptions, project: ProjectView = STANDALONE) -> bool:
    """Whether a rule, built in or of the user, may find something in a file, as far as its words decide."""
    return (
        may_concern_custom(source.data, options.custom)
        or _has_concerned_shell(source, options.route)
        or may_matter(source.data, project, options.route)
        or _may_count(source, options, project)
    )


def _may_count(source: SourceFile, options: MigrationOptions, project: ProjectView) -> bool:
    """Whether a file has a number that counts the letters of a word of another file."""
    data = source.first_data
    if not may_cut_texts(data):
        return False
    return any(begins_number(data, at) for at in decisions_about(data, source.path, project, options).words)


def _has_concerned_shell(source: SourceFile, target: Target) -> bool:
    """Whether rules may find something in the cells of a notebook that are of another language, or modules
    of their own, as far as their words decide."""
    if not isinstance(source, NotebookSource):
        return False
    shell = source.shell
    return may_concern_kind(shell.kind, shell.data, target) or may_concern(source.modules_data, target)


def _cancelled_by(is_cancelled: Callable[[], bool] | None) -> AbstractContextManager[None]:
    if is_cancelled is None:
        return nullcontext()

    def ask() -> None:
        if is_cancelled():
            raise CheckCancelledError

    return asking(ask)


def _is_unit_test(source: SourceFile) -> bool:
    if not is_test_path(source.path):
        return False  # most files, for which nothing more is loaded
    from .text.unit_tests import is_unit_test

    return is_unit_test(source)


def _findings(context: Context, on_error: ErrorSink | None) -> Iterator[Finding]:
    options = context.options
    dispatch = dispatch_for(options.route, context.version, options.select, options.ignore)
    is_test = _is_unit_test(context.source)
    for bound, event in run(context.source, dispatch, context):
        checkpoint()
        outline = bound.outline
        option = outline.only_with_option
        if (option and not getattr(options, option)) or (outline.leaves_tests and is_test):
            continue
        try:
            for finding in bound.handler(event, context):
                yield _as_reached(_without_guess(finding, event), context)
        except Exception as error:
            if on_error is None:
                raise
            on_error(bound.outline.code, error)
            yield _failure(bound.outline.code, event, error)


def _failure(code: str, event: object, error: Exception) -> Finding:
    """A finding that a rule failed; at the beginning of the file where the event is no single place."""
    node = event if isinstance(event, Node) else getattr(event, "node", None)
    start, end = (node.start_byte, node.end_byte) if isinstance(node, Node) else (0, 0)
    return failed_rule(code, start, end, error)


def _custom_findings(context: Context, on_error: ErrorSink | None) -> Iterator[Finding]:
    """What the user's own rules find, which hold also where the code knows the NPU already."""
    from .custom.rule_base import custom_findings

    try:
        yield from custom_findings(context)
    except Exception as error:
        if on_error is None:
            raise
        on_error(PREFIX, error)
        yield failed_rule(PREFIX, 0, 0, error)


_OF_SETTINGS = ("NPU120", "NPU5")
"""Those of rules on memory formats and on flags of back ends, which move nothing."""
_OF_LIBRARIES = ("NPU6", "NPU7")
"""How the codes begin of rules on kernels and libraries."""


def _as_reached(finding: Finding, context: Context) -> Finding:
    """What is wrong at a place to which the NPU does not come, as a test that stays has another way, is
    advice; an error of a library or kernel that only a setting chooses which is off, is information."""
    is_wrong = finding.severity is Severity.ERROR
    if finding.severity is Severity.WARNING and finding.code.startswith(_OF_SETTINGS):
        is_wrong = context.once("may need CUDA", lambda: may_need_cuda(context.source.data))
    place = context.source.node_at(finding.start, finding.end) if is_wrong else None
    if place is None:
        return finding
    if has_fallback(place, context):
        return finding._replace(severity=Severity.HINT)
    is_error = finding.severity is Severity.ERROR and finding.code.startswith(_OF_LIBRARIES)
    is_chosen = is_error and has_fallback(place, context, by_default=True)
    return finding._replace(severity=Severity.INFORMATION) if is_chosen else finding


def _without_guess(finding: Finding, event: object) -> Finding:
    """A finding on a name that could be two things keeps its message and loses its fix."""
    if isinstance(event, NameRef) and event.certainty is Certainty.AMBIGUOUS and finding.fix:
        severity = Severity.ERROR if finding.severity is Severity.WARNING else finding.severity
        return finding._replace(fix=None, severity=severity)
    return finding


@runtime_checkable
class ListsUses(Protocol):
    """A rule that says what becomes of each API that a file uses."""

    code: ClassVar[str]

    def api_uses(self, context: Context) -> Iterator[ApiUse]:
        """The uses of a file, in the order of the text."""


def api_uses(
    source: SourceFile, options: MigrationOptions, project: ProjectView = STANDALONE
) -> tuple[ApiUse, ...]:
    """What becomes of each API that a file as it is given uses, for targets whose reports list that.
    Raises OptionError: the options choose no version."""
    with Context(source, options, project) as context:
        rules = [rule for rule in rules_of(options.route) if isinstance(rule, ListsUses)]
        return tuple(use for rule in rules for use in rule.api_uses(context))
