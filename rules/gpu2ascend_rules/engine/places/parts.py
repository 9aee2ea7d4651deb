"""What rules find in the parts of a file, as findings of the file: one way for whatever holds other text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...edits.fix_edits import needed_imports, own_edits
from ...edits.fix_titles import title_of
from ...model.finding import Edit, Finding, Fix, Message, Plan, Severity
from ...rewrite import RewriteDeclined
from ...text.parts.part import Part
from ...text.plain.text_file import TextFile
from ...text.source_file import SourceFile


def findings_of_parts(
    file: TextFile, examined: Callable[[SourceFile], tuple[Finding, ...]]
) -> Iterator[Finding]:
    """The findings of each part, with the places and the edits that they have in the file.

    Args:
        examined: Gives the findings of a part.
    """
    for part in file.parts():
        source = SourceFile(part.text, part.path)
        yield from (_in_file(finding, part, source, file) for finding in examined(source))


def _in_file(finding: Finding, part: Part, source: SourceFile, file: TextFile) -> Finding:
    start, end = part.span(finding.start, finding.end)
    related = tuple(
        item._replace(start=first, end=last, message=_as_written(item.message, part, file))
        for item in finding.related
        for first, last in (part.span(item.start, item.end),)
    )
    message = _as_written(finding.message, part, file)
    found = finding._replace(start=start, end=end, message=message, related=related)
    if finding.fix is None:
        return found
    fix = _fix_in_file(finding.fix, part, source, file)
    if fix is None and finding.severity is Severity.WARNING:
        found = found._replace(severity=Severity.ERROR)  # what nothing changes fails
    return found._replace(fix=fix)


def _as_written(message: Message, part: Part, file: TextFile) -> Message:
    """A message that quotes the file, not the part."""
    arguments = []
    for name, value in message.arguments:
        if isinstance(value, Message):
            value = _as_written(value, part, file)
        elif isinstance(value, str):
            value = part.as_written(value, file.data)
        arguments.append((name, value))
    return message._replace(arguments=tuple(arguments))


def _fix_in_file(fix: Fix, part: Part, source: SourceFile, file: TextFile) -> Fix | None:
    """A fix of a part as one of the file, with its imports; ``None`` where it cannot be written there.

    A part that does not parse is left alone, unless it is only known when it runs.
    """
    if fix.plan.equivalents or (source.has_syntax_error and not part.has_unknown):
        return None
    try:
        own = own_edits(source, fix)
    except RewriteDeclined:
        return None
    edits = part.edits((*own, *needed_imports(source, [(fix, own)])))
    if not edits:
        return None
    title = title_of(fix._replace(plan=Plan(own)), source.data)  # without the import
    plan = Plan(tuple(Edit(*edit) for edit in edits))
    return fix._replace(title=_as_written(title, part, file), plan=plan)
