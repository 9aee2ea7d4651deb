"""Comments that silence what is found in a file, in place of fixes."""

from __future__ import annotations

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.hosting import EditTrace, Judge, apply_edits, ignore_lines
from gpu2ascend_rules.model.outcome import FixOutcome, RemainingFinding
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.plain.text_file import TextFile


def ignore_all(
    source: TextFile, options: MigrationOptions, project: ProjectView, /, *, is_sound: Judge | None = None
) -> FixOutcome:
    """The file with a comment for each finding that counts; advice counts for nothing.

    What has no place for a comment, such as a value of JSON, remains. A judge is given where the comments
    break something: then the file is left as it is.
    """
    found = [finding for finding in check(source, options, project) if not finding.is_advice]
    edits = ignore_lines(source, found) if is_sound is None else ()
    silenced = source.after(edits, apply_edits(source.raw, edits)) if edits else source
    left = check(silenced, options, project) if edits else found
    trace = EditTrace((edits,) if edits else ())
    remaining = tuple(
        RemainingFinding(item, *trace.given_lines(item.start, item.end, source.lines))
        for item in left
        if not item.is_advice
    )
    return FixOutcome(silenced.text, (), remaining, len(trace.edits), trace.edits)
