"""Mixed precision as a migration enables it (``--enable-amp``): what becomes of one file."""

from __future__ import annotations

from ...edits.apply import apply_edits
from ...edits.fix_edits import edits_of
from ...engine.dispatch import is_chosen
from ...engine.suppressions import Suppressions
from ...model.finding import Finding, Message, Severity
from ...model.outcome import FileChange, done_by
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from .documentation import ENABLED, EnableAmp
from .refactoring import AmpRefactoring, amp_fix

_TRAINS = (b".backward(", b"torch")


def enable_amp(source: SourceFile, options: MigrationOptions) -> FileChange | None:
    """What enabling mixed precision makes of a file; ``None`` where no training loop is.

    A file in which it cannot be exact stays as it is, with the reason as a finding.
    """
    if not options.enable_amp or not is_chosen(EnableAmp(), (), options.ignore):
        return None
    if not all(word in source.data for word in _TRAINS):
        return None
    ignores = Suppressions(source)
    if ignores.has_whole_file(ENABLED):
        return None
    # LibCST is slow to load and is needed for these files only.
    import libcst as cst

    from .module import AlreadyMixed, Declined

    try:
        edits = edits_of(source, amp_fix(source, AmpRefactoring.ENABLE, options))
    except cst.ParserSyntaxError:
        return None
    except AlreadyMixed as mixed:
        message = Message.of(f"{ENABLED}.already", name=mixed.name)
        return _left(source, ignores, mixed.line, message, Severity.INFORMATION)
    except Declined as declined:
        message = Message.of(f"{ENABLED}.declined", reason=declined.reason)
        return _left(source, ignores, declined.line, message, Severity.WARNING)
    text = apply_edits(source.data, edits).decode("utf-8", "surrogatepass")
    title = Message.of(f"{ENABLED}.enabled")
    done = tuple(done_by(ENABLED, title, edit) for edit in edits)
    return FileChange(text, tuple(edits), done, ()) if edits else None


def _left(
    source: SourceFile, ignores: Suppressions, line: int, message: Message, severity: Severity
) -> FileChange:
    """A file that stays, with what there is to say of a line, counted from 1."""
    finding = Finding(ENABLED, *source.lines.line_span(line - 1), message, severity)
    return FileChange(source.text, (), (), tuple(ignores.keep([finding])))
