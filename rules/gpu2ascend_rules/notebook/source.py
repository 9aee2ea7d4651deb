"""The cells of a notebook as a source of Python that also has shell code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..edits.offsets import Inside, OffsetMap, apply_edits
from ..model.finding import Edit, Finding
from ..text.parts.part import Part, Piece
from ..text.source_file import SourceFile
from .shell_parts import WHOLE_CELLS, Form, ShellPart

if TYPE_CHECKING:
    from .shell_file import ShellOfNotebook

_WITHOUT_COMMENTS = (Form.RUN, Form.VARIABLE)


class NotebookSource(SourceFile):
    """Cells put together: what the parser of Python sees, and at the same offsets what is written.

    Args:
        text: The cells with everything hidden that is no Python.
        written: The cells as they are.
        parts: Where their shell code is, and which of them are modules of their own.
    """

    def __init__(self, text: str, path: str, written: str, parts: Sequence[ShellPart]) -> None:
        super().__init__(text, path)
        self.written = written
        self.cell_parts = tuple(parts)

    @cached_property
    def shell(self) -> ShellOfNotebook:
        """The shell code alone."""
        from .shell_file import KIND, ShellOfNotebook

        shell = [part for part in self.cell_parts if part.form is not Form.MODULE]
        return ShellOfNotebook(KIND, self.written, self.path, shell)

    @cached_property
    def modules_data(self) -> bytes:
        """The cells that are modules of their own, one after the other."""
        return b"\n".join(self._code(part) for part in self.cell_parts if part.form is Form.MODULE)

    def _code(self, part: ShellPart) -> bytes:
        return self.written.encode("utf-8", "surrogatepass")[part.start : part.end]

    def parts(self) -> Iterator[Part]:
        """The cells that are modules, and Python within the shell code."""
        for part in self.cell_parts:
            if part.form is Form.MODULE:
                yield Part([Piece(part.start, part.end, self._code(part))])
        yield from self.shell.parts()

    def named(self, path: str) -> NotebookSource:
        """The same cells under another path."""
        return self if path == self.path else NotebookSource(self.text, path, self.written, self.cell_parts)

    def renewed(self, text: str) -> NotebookSource:
        """A text of which nothing but the Python is known."""
        return NotebookSource(text, self.path, text, ())

    def after(self, edits: Sequence[tuple[int, int, str]], data: bytes) -> NotebookSource:
        """The cells after edits; new shell code is hidden as the old was."""
        made = [Edit(*edit) for edit in edits]
        moves = OffsetMap(made)
        written = apply_edits(self.written.encode("utf-8", "surrogatepass"), made)
        shown = bytearray(data)
        parts = []
        for part in self.cell_parts:
            start = moves.present(part.start, Inside.START, past_insertions=False)
            end = max(start, moves.present(part.end, Inside.END))
            code = written[start:end].decode("utf-8", "surrogatepass")
            shown[start:end] = part.masked(code).encode("utf-8", "surrogatepass")
            parts.append(part._replace(start=start, end=end))
        text, given = (bytes(item).decode("utf-8", "surrogatepass") for item in (shown, written))
        return NotebookSource(text, self.path, given, parts)

    def line_below_comment(self, line: int) -> int | None:
        """Some magics would take a comment behind them for a part of a value."""
        start, end = self.lines.line_span(line)
        is_magic = any(
            start < part.start < end and part.form in _WITHOUT_COMMENTS for part in self.cell_parts
        )
        return line if is_magic else None

    def allowed(self, finding: Finding) -> Finding:
        """A finding in shell code, without a fix that goes beyond its part or adds lines to a single one."""
        if finding.fix is None:
            return finding
        part = next((part for part in self.cell_parts if part.start <= finding.start <= part.end), None)
        is_allowed = part is not None and all(_stays_in(edit, part) for edit in finding.fix.plan.edits)
        return finding if is_allowed else finding._replace(fix=None)


def _stays_in(edit: Edit, part: ShellPart) -> bool:
    if part.form not in WHOLE_CELLS:
        is_whole = edit.start <= part.start and edit.end >= part.end and not edit.text.strip()
        if is_whole or "\n" in edit.text:
            return False
    return part.start <= edit.start and edit.end <= part.end
