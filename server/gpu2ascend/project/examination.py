"""What comes of examining one file: the result that front ends, reports and editor features start from."""

from __future__ import annotations

from functools import cached_property

import attrs

from gpu2ascend_rules.hosting import NOTHING_SILENCED as NOTHING
from gpu2ascend_rules.hosting import Silenced
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Edit, Finding, Message
from gpu2ascend_rules.model.outcome import AppliedFix, MadeFix, RemainingFinding
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.unresolved import UnresolvedMember

from .files.content.notebooks import NotebookFile, is_notebook
from .report.result import FileStatus
from .report.verdict.way import ON_THE_WAY, Way


@attrs.frozen(kw_only=True, slots=False)
class Examination:
    """One file after it was examined. Plain data: it is pickled without its cached properties."""

    path: str
    """As the caller named the file; within a project relative to its root, with ``/``."""
    status: FileStatus = FileStatus.UNCHANGED
    text: str | None = None
    """The text of the file with the fixes that were made; ``None`` where its bytes are not text."""
    before: str | None = None
    """The given text, where the fixes changed it."""
    data: bytes | None = attrs.field(default=None, repr=False)
    """The bytes to write to the file; ``None`` where its content stays."""
    can_be_written: bool = True
    """Whether its encoding gives the bytes of the file back, so that fixes can be written to it."""
    findings: tuple[Finding, ...] = ()
    """What is found in :attr:`source`, with offsets into it. After fixes: what is left."""
    remaining: tuple[RemainingFinding, ...] = ()
    """After fixes: what is left, with the lines of the given file."""
    applied: tuple[AppliedFix, ...] = ()
    """The edits that were made, with the lines of the given file."""
    passes: tuple[tuple[Edit, ...], ...] = ()
    """The edits of each pass, with offsets into the source before it."""
    made: tuple[tuple[MadeFix, ...], ...] = ()
    """The fixes of each pass, if they were asked for."""
    given: tuple[Finding, ...] | None = None
    """What was found before fixes were made, if that was asked for and no codemod came first."""
    problem: Message | None = None
    """Why the status is one of trouble. A file that does not parse as a whole has both a problem and the
    findings in the parts that do."""
    kept: Message | None = None
    """Why fixes were not written to the file, which was left to whoever changed or protected it."""
    lost: Message | None = None
    """What the system did not let the file keep, beside its content, when it was written."""
    traceback: str = attrs.field(default="", repr=False)
    """Of a defect of ours, where it was raised, if that was asked for."""
    equivalents: frozenset[str] = frozenset()
    """The parts of the package of equivalents that the fixed file uses."""
    unresolved: tuple[UnresolvedMember, ...] = ()
    """Members that a support list may speak of, on receivers whose class the file does not prove."""
    proven: tuple[Finding, ...] = ()
    """Those of the findings that only the rest of the project shows."""
    matched: frozenset[int] = frozenset()
    """The user's own rules, by index, that match something in the file."""
    silenced: Silenced = NOTHING
    """What its own comments silence, if that was asked for."""
    way: Way = ON_THE_WAY
    """From which programs it is reached, where that was looked at."""
    is_relevant: bool = True
    """Whether some rule could have found something: the file holds a word that one of them waits for."""

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}

    @property
    def can_be_fixed(self) -> bool:
        """Whether fixes are made in this file: not in one that is broken, but in a notebook's sound cells."""
        is_broken = self.status is FileStatus.UNPARSABLE and not is_notebook(self.path)
        return self.can_be_written and not is_broken

    @cached_property
    def notebook(self) -> NotebookFile | None:
        """Of a notebook, the cells of :attr:`text`."""
        if self.text is None or not is_notebook(self.path):
            return None
        return NotebookFile.whole(self.text, self.path)

    @cached_property
    def source(self) -> TextFile | None:
        """What the offsets of :attr:`findings` refer to: the text, or the composite of a notebook's cells."""
        if self.text is None:
            return None
        notebook = self.notebook
        return text_file(self.text, self.path) if notebook is None else notebook.composite.source
