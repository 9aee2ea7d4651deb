"""What the front ends show of a run: plain data."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message

from ..running.supervise import Ending
from ..traces.differing import Compared


@attrs.frozen
class Place:
    """A line of the project."""

    path: str
    """Relative to the project, with ``/``."""
    line: int
    """From 1."""
    function: str = ""


@attrs.frozen
class RankResult:
    """One process that trained, or was to."""

    rank: int
    steps: int
    losses: tuple[float, ...]
    stacks: str
    """Of a run that ran out of time: where each thread was."""
    steps_on_cpu: int = 0
    """Steps of optimizers that had no parameter on the NPU."""


@attrs.frozen
class FileCoverage:
    """Which lines of a file of the project ran."""

    path: str
    ran: int
    missed: tuple[int, ...]
    """Lines that could have run, and did not."""

    @property
    def lines(self) -> int:
        """Lines that could have run."""
        return self.ran + len(self.missed)


@attrs.frozen
class RuleAt:
    """A finding that explains why a run failed."""

    code: str
    message: Message
    fix: Message | None
    """What its quick fix does."""
    place: Place | None = None
    """Another line that it is in; None for the line of the failure."""


class Fault(enum.Enum):
    """Whose fault a failure is."""

    MIGRATION = "migration"
    """The original goes further on the CPU."""
    ENVIRONMENT = "environment"
    """A package, data or the network is missing, or of another release than the project was written for."""
    PROJECT = "project"
    """The original fails as well."""
    EMULATION = "emulation"
    """The real device has what the simulated one lacks."""


@attrs.frozen(kw_only=True)
class Failure:
    """What went wrong first."""

    rank: int
    type: str
    text: str
    traceback: tuple[Place, ...]
    """Lines of the project, the innermost last."""
    rules: tuple[RuleAt, ...] = ()
    cause: Message | None = None
    remedy: Message | None = None
    named_rules: tuple[str, ...] = ()
    """Rules about this kind of error, where none finds anything in the line."""
    fault: Fault | None = None
    """None where nothing shows it."""
    because: Message | None = None
    """What shows it."""

    @property
    def place(self) -> Place | None:
        """The innermost line of the project."""
        return self.traceback[-1] if self.traceback else None


@attrs.frozen
class OperatorUse:
    """An operator that ran on the device."""

    name: str
    count: int
    place: Place | None


@attrs.frozen
class Refusal:
    """Something that the real device does not take: a data type, or tensors of two devices."""

    kind: str
    operator: str
    detail: str
    count: int
    place: Place | None


@attrs.frozen(kw_only=True)
class Comparison:
    """The losses of the original beside those of the migrated project."""

    original: tuple[float, ...]
    migrated: tuple[float, ...]
    first_difference: int | None
    """The first loss that differs, from 0; None where all are alike."""
    is_same: bool
    """Whether there was something to compare, and nothing differed."""
    failure: Failure | None = None
    """Why the original did not train."""
    tensors: Compared | None = None
    """Where losses differ, the tensors of both; the original's are the first."""


@attrs.frozen(kw_only=True)
class VerifyResult:
    """A run, as it is reported."""

    project: Path
    command: tuple[str, ...]
    version: str
    torch: str
    """That really ran."""
    python: str
    ending: Ending
    codes: tuple[int | None, ...]
    asked_steps: int
    asked_ranks: int
    ranks: tuple[RankResult, ...]
    seconds: float
    seconds_per_step: float | None
    coverage: tuple[FileCoverage, ...]
    not_loaded: tuple[str, ...]
    """Python files of the project of which no line ran."""
    failure: Failure | None
    left_on_cpu: tuple[RuleAt, ...] = ()
    """Why every step was made on the CPU, where the project could have taken the NPU."""
    unregistered: tuple[OperatorUse, ...] = ()
    """Operators for which the release has no kernel: they fall back to the CPU, or fail."""
    torch_npu: str | None = None
    """The release of the vendor's torch_npu that ran on an emulated CANN; None for a device in Python."""
    device_reason: Message | None = None
    """Why it was the device in Python."""
    operators: int = 0
    """Different operators that ran on the device."""
    refusals: tuple[Refusal, ...] = ()
    made_up: tuple[str, ...] = ()
    """Data sets whose samples were made up, so that losses mean nothing."""
    differences: tuple[Message, ...] = ()
    """What to expect on the real device that a simulated one cannot show."""
    comparison: Comparison | None = None
    page: Path | None = None
    """The report page of the migration that says the same; None where there is none."""

    @property
    def steps(self) -> int:
        """Steps that every rank made."""
        if len(self.ranks) < self.asked_ranks or not self.ranks:
            return 0
        return min(rank.steps for rank in self.ranks)

    @property
    def is_passed(self) -> bool:
        """Whether the steps were made that were asked for, and a comparison found nothing."""
        compared = self.comparison is None or self.comparison.is_same
        return self.ending is Ending.DONE and self.steps >= self.asked_steps and compared

    @property
    def steps_on_cpu(self) -> int:
        """Steps, of all ranks, in which nothing on the NPU was trained."""
        return sum(rank.steps_on_cpu for rank in self.ranks)

    @property
    def is_on_cpu(self) -> bool:
        """Whether every step of every rank was made on the CPU, so that it says nothing of the NPU."""
        return 0 < sum(rank.steps for rank in self.ranks) == self.steps_on_cpu

    @property
    def has_no_optimizer(self) -> bool:
        """Whether something was trained, but by no optimizer of torch, so that no step was counted."""
        return any(rank.losses for rank in self.ranks) and not any(rank.steps for rank in self.ranks)

    @property
    def has_just_ended(self) -> bool:
        """Whether the program came to its end without an error, before the steps were made."""
        return self.ending is Ending.EXITED and self.failure is None and not any(self.codes)

    @property
    def device(self) -> str:
        """What replaced the NPU: ``emulated`` or ``simulated``."""
        return "emulated" if self.torch_npu is not None else "simulated"

    @property
    def exit_code(self) -> int:
        """0 or 1; what cannot be started raises."""
        return 0 if self.is_passed else 1

    @property
    def losses(self) -> tuple[float, ...]:
        """Those of the first rank."""
        return self.ranks[0].losses if self.ranks else ()

    @property
    def coverage_counts(self) -> Mapping[str, int]:
        """Lines that ran, and lines of the files that were loaded."""
        return {
            "ran": sum(file.ran for file in self.coverage),
            "lines": sum(file.lines for file in self.coverage),
        }
