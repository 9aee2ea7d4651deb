"""Notebooks of a project: their cells examined and fixed as one source, then put back into the file."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import attrs

from gpu2ascend_rules.hosting import Composite, Notebook, NotebookError
from gpu2ascend_rules.hosting import mask_magics as mask
from gpu2ascend_rules.model.finding import Edit, Message
from gpu2ascend_rules.model.outcome import AppliedFix, CellLine, FixOutcome, RemainingFinding
from gpu2ascend_rules.text.lines import with_lone_cr_as_lf
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

from ..discover import NOTEBOOK_SUFFIX
from .encoding import NotTextError, decode
from .soundness import breaks_a_part
from .syntax import syntax_problem

_OF_A_CELL = {
    "project.nul-bytes": "project.nul-bytes-cell",
    "project.too-deep": "project.too-deep-cell",
    "project.unparsable": "project.unparsable-cell",
}
_Item = TypeVar("_Item", AppliedFix, RemainingFinding)


def is_notebook(path: str) -> bool:
    """Whether a file is a notebook, by its name."""
    return path.lower().endswith(NOTEBOOK_SUFFIX)


def python_of(path: str, data: bytes) -> bytes:
    """The Python that a file holds, as Python reads it; of a notebook, its cells.

    Of a notebook that cannot be read it is nothing.
    """
    if not is_notebook(path):
        return with_lone_cr_as_lf(data)
    try:
        cells = Notebook(decode(data).text).sources()
    except (NotTextError, NotebookError):
        return b""
    shown = (mask(text) for text in cells if text is not None)
    python = "\n\n".join(text for text in shown if text is not None)
    return with_lone_cr_as_lf(python.encode("utf-8", "surrogatepass"))


def source_of(path: str, text: str) -> SourceFile | None:
    """The module that a file is; of a notebook, its sound cells together. None of a broken notebook."""
    if not is_notebook(path):
        return SourceFile(text, path)
    try:
        return NotebookFile.sound(text, path).composite.source
    except NotebookError:
        return None


def not_a_notebook(error: NotebookError) -> Message:
    """What to report of a file that is no notebook, though its name says so."""
    return Message.of("project.notebook-broken", line=error.line, reason=error.reason)


@attrs.frozen
class NotebookFile:
    """The text of a notebook, its cells together, and what is wrong with those that are no Python."""

    notebook: Notebook
    composite: Composite
    problem: Message | None
    """The first cell that is no Python 3; it is left as it is."""

    @classmethod
    def whole(cls, text: str, path: str) -> NotebookFile:
        """A notebook with every Python cell, also those that parse only in part.
        Raises NotebookError: the text is no notebook."""
        notebook = Notebook(text)
        composite = Composite(notebook.sources(), path)
        problems = _problems(notebook, composite) if composite.source.has_syntax_error else {}
        return cls(notebook, composite, next(iter(problems.values()), None))

    @classmethod
    def sound(cls, text: str, path: str) -> NotebookFile:
        """A notebook without the cells that are no Python 3: what may be rewritten.
        Raises NotebookError: the text is no notebook."""
        notebook = Notebook(text)
        composite = Composite(notebook.sources(), path)
        problems = _problems(notebook, composite)
        return cls(notebook, _without(composite, problems), next(iter(problems.values()), None))

    def rewritten(self, outcome: FixOutcome) -> str:
        """The file's text after fixes of the composite."""
        return self.notebook.with_sources(self.composite.replay(outcome))

    def keeps_syntax(self, outcome: FixOutcome) -> bool:
        """Whether each cell that fixes changed still parses, and so do the parts of it."""
        return all(
            _cell_problem(mask(text)) is None and not self._breaks_a_part(index, text)
            for index, text in self.composite.replay(outcome).items()
        )

    def _breaks_a_part(self, index: int, text: str) -> bool:
        before, after = (Composite([cell]).source for cell in (self.composite.cells[index], text))
        return breaks_a_part(before, after)

    def is_sound(self, text: TextFile, passes: Sequence[Iterable[Edit]]) -> bool:
        """Whether passes of edits, which make ``text`` of the composite, leave cells that parse."""
        return self.keeps_syntax(FixOutcome(text.text, (), (), 0, tuple(map(tuple, passes))))

    def located(self, outcome: FixOutcome) -> FixOutcome:
        """The outcome by cell, and with lines of the file."""
        applied = tuple(map(self._in_file, outcome.applied))
        return outcome._replace(applied=applied, remaining=tuple(map(self._in_file, outcome.remaining)))

    def _in_file(self, item: _Item) -> _Item:
        cell, start = self.file_line(item.start_line)
        _, end = self.file_line(item.end_line)
        return item._replace(start_line=start, end_line=end, cell=cell)

    def file_line(self, line: int) -> tuple[CellLine | None, int]:
        """The cell and the file's line, from 1, of a line of the composite, from 1."""
        place = self.composite.line_place(line - 1)
        if place is None:
            return None, 1
        cell = self.composite.offset(place.cell, 0) or 0
        row = line - 1 - self.composite.source.lines.line_of(cell)
        number = self.notebook.cells[place.cell].number
        return CellLine(number, row + 1), self.notebook.line_of(place.cell, place.start)


def sound_cells(composite: Composite) -> Composite:
    """The cells without those that are no Python 3: what may be rewritten of a notebook in an editor."""
    broken = [index for index, text in composite.masked.items() if _cell_problem(text) is not None]
    return _without(composite, broken)


def _without(composite: Composite, cells: Collection[int]) -> Composite:
    if not cells:
        return composite
    kept = [None if index in cells else text for index, text in enumerate(composite.cells)]
    return Composite(kept, composite.source.path)


def _problems(notebook: Notebook, composite: Composite) -> Mapping[int, Message]:
    """What is wrong with each cell that is no Python 3."""
    found: dict[int, Message] = {}
    for index, text in composite.masked.items():
        problem = _cell_problem(text)
        if problem is not None:
            cell = ("cell", str(notebook.cells[index].number))
            found[index] = Message(_OF_A_CELL[problem.id], (cell, *problem.arguments))
    return found


def _cell_problem(text: str | None) -> Message | None:
    """Why a cell is no Python 3. IPython takes the indentation from a cell that is indented as a whole."""
    return None if text is None else syntax_problem(SourceFile(textwrap.dedent(text)))
