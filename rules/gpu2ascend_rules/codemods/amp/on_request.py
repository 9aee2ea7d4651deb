"""Mixed precision as a migration enables it (``--enable-amp``): what becomes of one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...edits.fix_edits import edits_of
from ...edits.offsets.apply import apply_edits
from ...edits.offsets.text_edits import text_edits
from ...engine.dispatch import is_chosen
from ...engine.suppressions import Suppressions
from ...model.finding import Applicability, Finding, Fix, Message, Plan, Requirement, Severity
from ...model.outcome import FileChange, done_by
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from .documentation import ENABLED, EnableAmp
from .refactoring import NATIVE_AMP

if TYPE_CHECKING:
    from .module import Declined

_TRAINS = (b".backward(", b"torch")


def enable_amp(source: SourceFile, options: MigrationOptions) -> FileChange | None:
    """What enabling mixed precision makes of a file; ``None`` where no training loop is.

    A file in which it cannot be exact stays as it is, with the reason as a finding.
    """
    if not options.enable_amp or not is_chosen(EnableAmp(), (), options.ignore):
        return None
    if not all(word in source.data for word in _TRAINS):
        return None
    ignores = Suppressions(source, with_file=options.project_settings)
    if ignores.has_whole_file(ENABLED):
        return None
    # LibCST is slow to load and is needed for these files only.
    import libcst as cst

    from .enable import Precision, with_amp
    from .module import AlreadyMixed, Declined

    try:
        text, left = with_amp(source.text, options.target_model, Precision(NATIVE_AMP))
    except cst.ParserSyntaxError:
        return None
    except AlreadyMixed as mixed:
        message = Message.of(f"{ENABLED}.already", name=mixed.name)
        finding = _finding(source, mixed.line, message, Severity.INFORMATION)
        return FileChange(source.text, (), (), tuple(ignores.keep([finding])))
    except Declined as declined:
        return FileChange(source.text, (), (), tuple(ignores.keep([_why(source, declined)])))
    plan = Plan(edits=text_edits(source.text, text), requires=frozenset({Requirement("torch_npu")}))
    title = Message.of(f"{ENABLED}.enabled")
    edits = edits_of(source, Fix(title, Applicability.UNSAFE, plan))
    done = tuple(done_by(ENABLED, title, edit) for edit in edits)
    new = apply_edits(source.raw, edits).decode("utf-8", "surrogatepass")
    return FileChange(new, edits, done, tuple(ignores.keep(_why(source, reason) for reason in left)))


def _why(source: SourceFile, declined: Declined) -> Finding:
    """That a part stays in float32, and why."""
    message = Message.of(f"{ENABLED}.declined", reason=declined.reason)
    return _finding(source, declined.line, message, Severity.WARNING)


def _finding(source: SourceFile, line: int, message: Message, severity: Severity) -> Finding:
    """A finding about a line as a whole, counted from 1."""
    return Finding(ENABLED, *source.lines.line_span(line - 1), message, severity)
