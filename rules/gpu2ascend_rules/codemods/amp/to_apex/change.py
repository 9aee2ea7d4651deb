"""AMP transplant as a migration and an editor ask for it: what becomes of one file."""

from __future__ import annotations

from ....edits.offsets.text_edits import text_edits
from ....engine.dispatch import is_chosen
from ....engine.suppressions import Suppressions
from ....model.finding import Finding, Message, Severity
from ....model.outcome import FileChange, done_by
from ....options.options import AMP_TRANSPLANT_BEFORE, MigrationOptions
from ....text.source_file import SourceFile
from ..documentation import CODE, STEPS

_WORDS = (b"autocast", b"GradScaler", b"amp")


def transplant(source: SourceFile, options: MigrationOptions) -> FileChange | None:
    """What AMP transplant makes of a file; ``None`` where it has nothing to do.

    A file that cannot be carried over exactly stays as it is, with the reason as a finding.
    """
    ignores = Suppressions(source, with_file=options.project_settings)
    if not _is_wanted(source, options) or ignores.has_whole_file(CODE):
        return None
    # LibCST is slow to load and is needed for these files only.
    import libcst as cst

    from ..module import Declined
    from .transplant import transplanted

    try:
        text, reservations = transplanted(source.text, options.amp_model)
    except cst.ParserSyntaxError:
        return None
    except Declined as declined:
        message = Message.of(f"{CODE}.declined", reason=declined.reason)
        finding = _finding(source, declined.line, message, Severity.ERROR)
        return FileChange(source.text, (), (), tuple(ignores.keep([finding])))
    edits = text_edits(source.text, text)
    title = Message.of(f"{CODE}.carried")
    done = tuple(done_by(CODE, title, edit) for edit in edits)
    findings = ignores.keep(
        _finding(source, item.line, item.message, Severity.WARNING) for item in reservations
    )
    return FileChange(text, edits, done, tuple(findings)) if edits else None


def _is_wanted(source: SourceFile, options: MigrationOptions) -> bool:
    """Whether it is asked for, is not ignored, and may find something in the file."""
    version = options.version
    if not options.amp_transplant or version is None or version >= AMP_TRANSPLANT_BEFORE:
        return False
    return is_chosen(STEPS[0], (), options.ignore) and any(word in source.data for word in _WORDS)


def _finding(source: SourceFile, line: int, message: Message, severity: Severity) -> Finding:
    """A finding about a line as a whole, counted from 1."""
    return Finding(CODE, *source.lines.line_span(line - 1), message, severity)
