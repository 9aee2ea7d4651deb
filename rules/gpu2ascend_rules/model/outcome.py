"""What became of a file: what was applied, what is left, and what a codemod made of it. Plain data."""

from __future__ import annotations

import enum
from typing import NamedTuple

from .finding import Applicability, Edit, Finding, Fix, Message, Plan, Requirement
from .versions import Version


class CellLine(NamedTuple):
    """A line of a notebook. The lines beside it are those of the file then, and this is what people see."""

    cell: int
    """The cell's place among all cells, from 1."""
    line: int
    """In the cell, from 1."""


class AppliedFix(NamedTuple):
    """One edit that was made. Lines count from 1 in the text as it was given."""

    code: str
    message: Message
    start_line: int
    end_line: int
    operation: str
    """``INSERT``, ``MODIFY`` or ``DELETE``."""
    cell: CellLine | None = None
    kind: str = ""
    """The kind of the fix that the edit belongs to: :data:`REPLACEMENT` or empty."""
    since: Version | None = None
    """The first release with all that the new text names (:attr:`.finding.Fix.since`)."""


class RemainingFinding(NamedTuple):
    """A finding that is left. Its offsets are into the new text, its lines (from 1) into the given one."""

    finding: Finding
    start_line: int
    end_line: int
    cell: CellLine | None = None


class MadeFix(NamedTuple):
    """A fix of one pass over a text."""

    code: str
    message: Message
    """Of the finding that it answers."""
    start: int
    """Where that is, in the text as it was given."""
    edits: tuple[Edit, ...]
    """With offsets into the text before the pass, and without imports, which fixes share."""
    requires: frozenset[Requirement] = frozenset()
    """The imports that the new text needs."""


class FixOutcome(NamedTuple):
    """A file after its fixes."""

    text: str
    applied: tuple[AppliedFix, ...]
    remaining: tuple[RemainingFinding, ...]
    passes: int
    edits: tuple[tuple[Edit, ...], ...] = ()
    """The edits of each pass, with offsets into the text before it."""
    equivalents: frozenset[str] = frozenset()
    """The parts of the package of equivalents that the new text uses; see :class:`.finding.Plan`."""
    made: tuple[tuple[MadeFix, ...], ...] = ()
    """The fixes of each pass, in the order of :attr:`edits`."""
    errors: tuple[Exception, ...] = ()
    """What rules and rewrites raised, which cost their own findings and fixes only."""
    given: tuple[Finding, ...] | None = None
    """What was found in the given text; None where that was not looked at, because codemods came first."""


class ApiKind(enum.Enum):
    """What becomes of a use of an API; the values are those of the vendor's reports."""

    SUPPORTED = "SUPPORTED"
    """It has a counterpart."""
    CUSTOM_SUPPORTED = "CUSTOM_SUPPORTED"
    """Code that does the same is written in its place."""
    UNSUPPORTED = "UNSUPPORTED"
    """Nothing can be written in its place."""
    DELETED = "DELETED"
    """Nothing is needed in its place."""


class ApiUse(NamedTuple):
    """A use of an API. Lines count from 1 in the text as it was given."""

    api: str
    start_line: int
    end_line: int
    kind: ApiKind
    tip: Message | None = None
    """What to know of it."""


class Done(NamedTuple):
    """Something that was done at a place of the text as it was given."""

    code: str
    title: Message
    start: int
    end: int
    operation: str
    """``INSERT``, ``MODIFY`` or ``DELETE``."""


def done_by(code: str, title: Message, edit: Edit) -> Done:
    """What one edit did."""
    inserts = edit.start == edit.end
    operation = "INSERT" if inserts else "MODIFY" if edit.text else "DELETE"
    return Done(code, title, edit.start, edit.end, operation)


class FileChange(NamedTuple):
    """What a codemod makes of one file. All offsets are into the text as it was given."""

    text: str
    edits: tuple[Edit, ...]
    done: tuple[Done, ...]
    findings: tuple[Finding, ...]
    """What is left to a person."""

    def fix(self, title: Message) -> Fix | None:
        """Everything as one fix, as an editor offers it; nothing when the text stays."""
        return Fix(title, Applicability.UNSAFE, Plan(edits=self.edits)) if self.edits else None
