"""What a migration is asked for and what it answers."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import attrs

from gpu2ascend_rules.hosting import NOTHING_SILENCED as NOTHING
from gpu2ascend_rules.hosting import Silenced
from gpu2ascend_rules.model.finding import Message, Severity
from gpu2ascend_rules.model.outcome import ApiUse, AppliedFix, RemainingFinding
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions

from .verdict.verdict import State, Verdict
from .verdict.way import ON_THE_WAY, Way

if TYPE_CHECKING:
    from gpu2ascend_rules.unresolved import UnresolvedMember

    from .effort.work import Work
    from .hunks import Hunks, Touched
    from .merge import Merge, UpdateRequest


class PageRequest(NamedTuple):
    """A page that says what a migration would do, when nothing else is to be written."""

    path: Path
    """Where it is written; what is there is replaced."""
    analysis: Mapping[str, int]
    """The counts of the analysis that it belongs to."""
    work: Work | None = None
    """How much it says is left."""


@attrs.frozen(kw_only=True)
class MigrationRequest:
    """A project to migrate."""

    input: Path
    """The project's directory; only read."""
    output: Path
    """The directory in which ``<name>_msft`` is made; created when it does not exist."""
    options: MigrationOptions
    """Without a version, the project's own requirements decide."""
    force: bool = False
    """Replace an earlier output. Only a directory that bears our marker is ever replaced."""
    discard_changes: bool = False
    """With ``force``: also if something in it is not as the earlier migration left it."""
    jobs: int = 0
    """Processes at most; 0 for one per core. Few or small files are not worth a second process."""
    update: UpdateRequest | None = None
    """The output that is updated; then ``output`` and ``force`` do not count."""
    keeps_base: bool = True
    """Keep what was written, compressed, for a later update."""
    touched: Mapping[str, Touched] | None = None
    """What a change touches, by path: only that is edited. None where everything is."""
    place: Path | None = None
    """Where what is made is going to be used, if not where it is made: then it is the project itself."""
    write: bool = True
    """False: nothing is written anywhere, and the outcomes carry diffs."""
    page: PageRequest | None = None
    """With ``write`` false."""
    language: str = "en"
    """Language of the messages in the reports and the log: ``en`` or ``zh``."""


class Phase(enum.Enum):
    """What a migration is doing."""

    SURVEY = "survey"
    """Finding the files and what they define. The total is not known yet."""
    MIGRATE = "migrate"
    """Migrating and copying."""
    TYPES = "types"
    """Looking up in the rest of the project what types the objects of a file have. Part of migrating it."""
    FINISH = "finish"
    """Putting the finished output in its place; from here on it is too late to cancel."""


class Progress(NamedTuple):
    """How far a migration is. Reported at every file, and before the output is put in its place."""

    phase: Phase
    done: int
    total: int | None
    """Number of files; None during the survey."""
    path: str
    """The file just finished, relative to the input, as text that can be shown; empty in the end."""


class FileStatus(enum.Enum):
    """What became of a file."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    ADDED = "added"
    """Not a file of the project: the migrated project has it in addition."""
    UNPARSABLE = "unparsable"
    """Not Python 3: rejected by ``ast`` and by LibCST. Left as it was; of a notebook with such cells, the
    other cells are migrated."""
    UNDECODABLE = "undecodable"
    """Its bytes are not text in the encoding that it declares. Left as it was."""
    UNREADABLE = "unreadable"
    """It could not be read, so that it could not be copied either."""
    FAILED = "failed"
    """A defect of ours, a worker process that died on it twice, a link to a source that is not examined, or
    a limit: too large, too deep, or too long a time. Copied as it was; of a file that is too deep somewhere,
    the other parts are migrated."""

    @property
    def is_trouble(self) -> bool:
        """Whether the file could not be examined. Such a file never counts as migrated."""
        return self not in (FileStatus.UNCHANGED, FileStatus.CHANGED, FileStatus.ADDED)


class WrittenFile(NamedTuple):
    """A file that a migration wrote."""

    path: str
    """Relative to the output, with ``/``, as the system has it."""
    digest: str
    """The SHA-256 of its content, in hexadecimal digits."""


class Framework(enum.Enum):
    """What a file imports, of that which decides where a program computes."""

    TORCH = "torch"
    TORCH_NPU = "torch_npu"
    LIGHTNING = "lightning"


class FileOutcome(NamedTuple):
    """What became of one file of the project."""

    path: str
    """Relative to the input, with ``/``, as text that can be shown."""
    status: FileStatus
    applied: tuple[AppliedFix, ...] = ()
    """The edits; lines are those of the input."""
    remaining: tuple[RemainingFinding, ...] = ()
    """What is left to a person, by the options."""
    restricted: tuple[RemainingFinding, ...] = ()
    """Uses of APIs that a support list restricts where nothing shows that it matters; no findings."""
    advice: tuple[RemainingFinding, ...] = ()
    """What would be faster or more exact; no findings that are left."""
    problem: Message | None = None
    """Why the status is one of trouble."""
    kernels: tuple[str, ...] = ()
    """CUDA kernels that a C++ or CUDA source defines."""
    diff: str | None = None
    """A unified diff, when nothing is written and the file would change."""
    patch: bytes | None = None
    """The same in the file's encoding, for programs that apply it."""
    hunks: Hunks | None = None
    """The differences side by side, on the way from a worker to the page of the report."""
    unresolved: tuple[UnresolvedMember, ...] = ()
    """Members that a support list may speak of, on receivers that nothing proves to be PyTorch's."""
    equivalents: frozenset[str] = frozenset()
    """The parts of the package of equivalents that the file uses now."""
    matched: frozenset[int] = frozenset()
    """The user's own rules, by index, that match something in it."""
    silenced: Silenced = NOTHING
    """What its own comments silence."""
    written: WrittenFile | None = None
    """The file of the output, where one was written."""
    imports: frozenset[Framework] = frozenset()
    """What the file imports when it is migrated."""
    uses: tuple[ApiUse, ...] = ()
    """What became of each API that the file used, where the target's reports list that."""
    traceback: str = ""
    """Of a defect of ours, where it was raised, if that was asked for."""
    way: Way = ON_THE_WAY
    """From which programs it is reached."""
    is_of_output: bool = False
    """Whether people changed the file of the output, whose path and lines count then."""

    @property
    def says_something(self) -> bool:
        """Whether there is anything to show of it."""
        found = self.applied or self.remaining or self.restricted or self.advice
        return bool(found or self.problem or self.kernels)


@attrs.define
class Summary:
    """Counts over all files."""

    files: int = 0
    """Files in the project, whatever their kind, without those that are left out."""
    python_files: int = 0
    changed_files: int = 0
    edits: int = 0
    replaced: int = 0
    """Those of the edits that put an equivalent in the place of an unsupported API."""
    unsupported: int = 0
    """Rows of unsupported_api.csv."""
    unknown: int = 0
    """Rows of unknown_api.csv."""
    restricted: int = 0
    """Rows of restricted_api.csv, which are no findings."""
    advice: int = 0
    """Places with advice, which are no findings."""
    unresolved: int = 0
    """Members that a support list may speak of, on receivers that nothing proves to be PyTorch's. They are
    no findings, and in no report."""
    cuda_ops: int = 0
    """Rows of cuda_op_list.csv."""
    errors: int = 0
    warnings: int = 0
    information: int = 0
    hints: int = 0
    errors_beside: int = 0
    """Those of the errors that are in files which no program that trains reaches; likewise the next two."""
    warnings_beside: int = 0
    information_beside: int = 0
    undecided: int = 0
    """Units of words on the way, and parts that were not parsed, of which nothing shows what must become."""
    left_out_on_way: int = 0
    """Sources on the way of the training that were copied without being examined."""
    cuda_sources_on_way: int = 0
    """Files with CUDA kernels there, which nothing here builds for an NPU."""
    unparsable: int = 0
    undecodable: int = 0
    unreadable: int = 0
    failed: int = 0
    excluded: int = 0
    """Python files that an ``exclude`` pattern keeps as they are."""
    obstacles: int = 0
    """What keeps the project as a whole from training on the NPU, and is no finding: see the notices."""
    silenced: int = 0
    """Sources that the project's own settings or comments keep from being examined or reported: see the
    notices."""
    left_out: int = 0
    """Sockets, pipes, devices, and directories such as .git: named in the log, not copied."""

    @property
    def left_to_you(self) -> int:
        """Findings that remain, without hints: those are advice."""
        return self.errors + self.warnings + self.information

    @property
    def troubled_files(self) -> int:
        """Files that could not be examined."""
        return self.unparsable + self.undecodable + self.unreadable + self.failed

    @property
    def errors_on_way(self) -> int:
        """Errors in files that a program which trains reaches."""
        return self.errors - self.errors_beside

    @property
    def to_decide(self) -> int:
        """Warnings and information on the way of the training."""
        return self.warnings + self.information - self.warnings_beside - self.information_beside

    @property
    def is_complete(self) -> bool:
        """Whether nothing is known that prevents training: no error is left on its way, every file could be
        examined and none was silenced, and nothing of the project as a whole is in the way."""
        return not (self.errors_on_way or self.troubled_files or self.obstacles or self.silenced)

    @property
    def state(self) -> State:
        """How far the project is."""
        if not self.is_complete:
            return State.BLOCKED
        if self.undecided or self.left_out_on_way or self.cuda_sources_on_way:
            return State.UNDECIDED
        return State.OPEN if self.to_decide else State.MIGRATED

    def verdict(self) -> Verdict:
        """What these counts allow to say, without the names of entries."""
        return Verdict(
            state=self.state,
            to_decide=self.to_decide,
            errors=self.errors_on_way,
            errors_beside=self.errors_beside,
            undecided=self.undecided,
            cuda_sources=self.cuda_sources_on_way,
        )

    def count_status(self, status: FileStatus) -> None:
        """Count a file by what became of it."""
        if status is FileStatus.CHANGED:
            self.changed_files += 1
        elif status.is_trouble:
            setattr(self, status.value, getattr(self, status.value) + 1)

    def count_remaining(self, remaining: Iterable[RemainingFinding], way: Way = ON_THE_WAY) -> None:
        """Count findings that are left, by severity, in a file that is reached in this way."""
        for item in remaining:
            field = _FIELD_OF_SEVERITY[item.finding.severity]
            self._count(field)
            if way.is_outside and item.finding.severity is not Severity.HINT:
                self._count(f"{field}_beside")

    def _count(self, field: str) -> None:
        setattr(self, field, getattr(self, field) + 1)


_FIELD_OF_SEVERITY = {
    Severity.ERROR: "errors",
    Severity.WARNING: "warnings",
    Severity.INFORMATION: "information",
    Severity.HINT: "hints",
}


@attrs.frozen(kw_only=True)
class MigrationResult:
    """A finished migration. What it holds does not grow with the project."""

    output_path: Path | None
    """The migrated project; None when nothing was to be written."""
    version: Version
    """The PyTorch version it was made for."""
    summary: Summary
    reports: tuple[str, ...] = ()
    """Names of the reports and the log, in the output's top directory."""
    notices: tuple[Message, ...] = ()
    """What the user should know of the run as a whole: a version chosen for them, a report renamed."""
    environment: str | None = None
    """The name of the script in the output's top directory that sets the environment."""
    merge: Merge | None = None
    """What an update did."""
    base_size: int | None = None
    """Bytes of what is kept for a later update; None where nothing is."""
    script: str | None = None
    """The script that starts the training, as far as the project shows it; None where nothing was written."""
    verdict: Verdict = attrs.Factory(lambda result: result.summary.verdict(), takes_self=True)
    """What may be said of the project."""
    work: Work | None = None
    """How much was done and is left."""

    @property
    def exit_code(self) -> int:
        """0 when complete; 1 when errors are left on the way of the training, a file could not be examined
        or was silenced by the project itself, the project as a whole cannot be expected to train, or an
        update left conflicts.

        An error that stops a migration is raised as ``ProjectError``; a front end exits with 2 for it.
        """
        has_conflicts = self.merge is not None and bool(self.merge.conflicts)
        return 0 if self.summary.is_complete and not has_conflicts else 1
