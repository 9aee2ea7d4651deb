"""What the page is made from: records of files, and the facts of the run."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from gpu2ascend_rules.facts.packages.pairs import Pair
from gpu2ascend_rules.targets.registry import DEFAULT
from gpu2ascend_rules.targets.target import Target

from ..effort.work import Work
from ..hunks import Hunks
from ..result import FileStatus, Summary
from ..verdict.verdict import Verdict


class FileState(enum.Enum):
    """How a file stands, the gravest first."""

    TROUBLED = "troubled"
    """It could not be examined."""
    BLOCKED = "blocked"
    """An error is left in it."""
    OPEN = "open"
    """A warning or information is left in it, or it holds CUDA kernels."""
    MIGRATED = "migrated"
    """It was changed, and nothing but advice is left in it."""
    UNTOUCHED = "untouched"
    """It was examined, and stays as it is."""

    @property
    def is_ready(self) -> bool:
        """Whether nothing in it is left to decide."""
        return self in (FileState.MIGRATED, FileState.UNTOUCHED)


class FileRecord(NamedTuple):
    """What the page says of one file that was examined, or could not be."""

    path: str
    status: FileStatus
    edits: int = 0
    errors: int = 0
    open: int = 0
    """Warnings and information."""
    hints: int = 0
    kernels: int = 0
    problem: str | None = None
    """Why it could not be examined."""
    hunks: Hunks | None = None
    number: int = 0
    """Its place among the files with differences, from 1; 0 without any."""

    @property
    def state(self) -> FileState:
        """How it stands."""
        if self.status.is_trouble:
            return FileState.TROUBLED
        if self.errors:
            return FileState.BLOCKED
        if self.open or self.kernels:
            return FileState.OPEN
        return FileState.MIGRATED if self.edits else FileState.UNTOUCHED

    @property
    def left(self) -> int:
        """Places that are left to decide; advice does not count."""
        return self.errors + self.open + self.kernels

    @property
    def places(self) -> int:
        """Places that concern the device: those that were changed, and those that are left."""
        return self.edits + self.left

    @property
    def share(self) -> int | None:
        """How many of a hundred places are done, rounded down; None of a file that says nothing about it."""
        if self.status.is_trouble or not self.places:
            return None
        return 100 * self.edits // self.places


class DependencyChange(NamedTuple):
    """What became of a line that names a package, or what is left to do about it."""

    place: str
    code: str
    text: str
    before: str
    """The line as it was; empty where nothing changed."""
    after: str


class KernelRow(NamedTuple):
    """What the page says of a kernel."""

    place: str
    name: str
    lines: int
    made_of: str
    callers: str
    effort: str
    way: str


class KernelChapter(NamedTuple):
    """What it says of all of them."""

    rows: tuple[KernelRow, ...]
    total: str


class WayFacts(NamedTuple):
    """What a way of reaching the target changes and leaves in this project."""

    title_id: str
    """Message id of what it is called."""
    summary: Summary
    left: Mapping[str, Sequence[str]]
    """By code the places of the errors and warnings that it leaves."""


@attrs.frozen(kw_only=True)
class RunFacts:
    """What is known of a run when it is over."""

    project: str
    """The name of the project's directory, as the system has it."""
    tool: str
    """The version of gpu2ascend."""
    version: str
    """The PyTorch version that the project is for."""
    release: str
    """The release of the framework that new text is for."""
    hardware: str
    pair: Pair
    """What is installed together for the version."""
    summary: Summary
    verdict: Verdict = attrs.Factory(lambda run: run.summary.verdict(), takes_self=True)
    """What may be said of the project."""
    work: Work | None = None
    """How much was done and is left."""
    route: Target = DEFAULT
    """What it is migrated to."""
    ways: tuple[WayFacts, ...] = ()
    """This way and the other one, where the target has several."""
    notices: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()
    """Those of the notices that say what keeps the project as a whole from training."""
    reports: tuple[str, ...] = ()
    """Names of the files beside the page."""
    launchers: tuple[str, ...] = ()
    """Names of launch scripts that were added."""
    environment: str | None = None
    """The name of the script beside the page that sets the environment."""
    output: str | None = None
    """The name of the migrated project's directory; None where nothing was migrated."""
    script: str | None = None
    """The script that starts the training, for commands that name one; as the system has it."""
    analysis: Mapping[str, int] | None = None
    """The counts of an analysis, where the page belongs to one."""
    kernels: KernelChapter | None = None
    """The kernels that must be ported."""
