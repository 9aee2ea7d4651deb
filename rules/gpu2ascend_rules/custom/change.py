"""What the user's rules make of a file that codemods transform, too; they see what the rules leave."""

from __future__ import annotations

import attrs

from ..codemods.outcome import Done, FileChange
from ..codemods.text_edits import text_edits
from ..edits.offset_map import EditTrace
from ..fix import AppliedFix, apply_fixes
from ..model.custom_rule import may_concern_custom
from ..model.project_view import STANDALONE, ProjectView
from ..options.options import MigrationOptions
from ..text.source_file import SourceFile
from .settled import is_custom


def custom_change(
    source: SourceFile, options: MigrationOptions, project: ProjectView = STANDALONE
) -> FileChange | None:
    """What the rules of the options make of a file, before all else; ``None`` where they say nothing.

    Whatever comes after must go without them (:func:`without_custom`), for none matches what it has written.
    """
    if not may_concern_custom(source.data, options.custom):
        return None
    outcome = apply_fixes(source, options, project, only_custom=True)
    trace = EditTrace()
    for edits in outcome.edits:
        trace.add(edits)
    left = tuple(
        item.finding._replace(start=trace.origin(item.finding.start), end=trace.origin(item.finding.end))
        for item in outcome.remaining
        if is_custom(item.finding)
    )
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
