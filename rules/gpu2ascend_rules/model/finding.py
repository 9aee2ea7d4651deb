"""Findings, and the fixes that they carry: plain data, no behaviour beyond their own invariants.

Every offset in this module is a byte offset into the file's UTF-8 text, end exclusive. A front end
turns offsets into its own columns with :class:`gpu2ascend_rules.text.lines.LineIndex`.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from .versions import Version


class Severity(enum.Enum):
    """How bad it is to run the code on an NPU as it is."""

    ERROR = "error"
    """Will fail, or be silently wrong, and a migration does not mend it without being asked to."""
    WARNING = "warning"
    """Will fail until the safe fix is made; or runs, but not as it should: silently on the CPU, or without
    what the code asks for."""
    INFORMATION = "information"
    """Restricted there: some dtypes, a CPU fallback, other behaviour; or support is unknown."""
    HINT = "hint"
    """Runs, and would be faster or clearer if it were changed."""


LEVELS = tuple(severity.value for severity in Severity)
"""The severities as a user writes them."""


class Applicability(enum.Enum):
    """Whether a fix may be applied without asking."""

    SAFE = "safe"
    """Same meaning on the NPU: a migration applies it."""
    UNSAFE = "unsafe"
    """May change numerics, speed or structure: offered, applied only when asked for."""
    MANUAL = "manual"
    """A person must decide: explained, never edited."""


class OptionName(NamedTuple):
    """An option that a text speaks of: a command line calls it by its flag, a form by its field's title."""

    flag: str
    title_id: str


class Message(NamedTuple):
    """A text by its id in the message catalogues, with the arguments it is filled with.

    An argument may be a message itself: it is rendered in the same language. An option's name is rendered as
    the reader knows it.
    """

    id: str
    arguments: tuple[tuple[str, str | Message | OptionName], ...] = ()

    @classmethod
    def of(cls, message_id: str, /, **arguments: object) -> Message:
        """A message whose arguments are given by name."""
        return cls(
            message_id,
            tuple(
                (name, value if isinstance(value, (Message, OptionName)) else str(value))
                for name, value in arguments.items()
            ),
        )


class Edit(NamedTuple):
    """Replace the bytes from ``start`` to ``end`` by ``text``; ``start == end`` inserts."""

    start: int
    end: int
    text: str


class Rewrite(NamedTuple):
    """A change of a call to be made with LibCST when, and only when, the edits are asked for.

    ``start`` and ``end`` span the call; ``steps`` are those of :mod:`gpu2ascend_rules.rewrite.calls`.
    """

    start: int
    end: int
    steps: tuple[tuple[str, str], ...]


class Requirement(NamedTuple):
    """An import that the new text needs."""

    module: str
    by_name: bool = True
    """Whether the new text spells the module's name. If not, the module must only have been loaded by
    the time the code runs, and a file that does not import torch leaves that to the files that do."""
    name: str | None = None
    """What is imported from the module; None for the module itself."""

    @property
    def target(self) -> str:
        """The qualified name of what is imported."""
        return self.module if self.name is None else f"{self.module}.{self.name}"

    @property
    def statement(self) -> str:
        """The import statement."""
        if self.name is None:
            return f"import {self.module}"
        return f"from {self.module} import {self.name}"


class Plan(NamedTuple):
    """How a fix changes the file: span edits, structural rewrites, and the imports these need."""

    edits: tuple[Edit, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    requires: frozenset[Requirement] = frozenset()
    equivalents: frozenset[str] = frozenset()
    """The parts of the package of equivalents (:mod:`gpu2ascend_rules.similar`) that the new text uses;
    the migration that writes the text provides them."""


REPLACEMENT = "replacement"
"""The kind of a fix that puts an equivalent of ours in the place of an unsupported API."""


ADVICE = "advice"
"""The kind of findings about what would be faster or more exact, which nothing counts as left to do."""


UNDECIDED = "undecided"
"""The kind of findings about a word, or code that was not parsed, of which nothing shows what must become."""


class Fix(NamedTuple):
    """The preferred change for a finding."""

    title: Message
    applicability: Applicability
    plan: Plan
    kind: str = ""
    """Which option applies an unsafe fix: of :data:`REPLACEMENT` ``replace_unsupported``, else
    ``unsafe_fixes``."""
    since: Version | None = None
    """The first release of the framework with all that the new text names, where a user should know it."""


class Related(NamedTuple):
    """Another place in the same file that explains a finding, such as where an alias was bound."""

    start: int
    end: int
    message: Message


class Finding(NamedTuple):
    """Something in a file that is not right on an NPU.

    ``api`` is the qualified name of the API it is about, when it is about one. ``kind`` groups
    findings for the reports: ``unsupported`` and ``unknown`` name the two API reports, :data:`UNDECIDED`
    keeps a verdict from saying that nothing prevents the training.
    """

    code: str
    start: int
    end: int
    message: Message
    severity: Severity
    fix: Fix | None = None
    api: str | None = None
    kind: str = ""
    related: tuple[Related, ...] = ()

    @property
    def is_advice(self) -> bool:
        """Whether code runs as well without it."""
        return self.kind == ADVICE

    @property
    def applicability(self) -> Applicability:
        """The applicability of the fix; without a fix a person must act."""
        return self.fix.applicability if self.fix is not None else Applicability.MANUAL
