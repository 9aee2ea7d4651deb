"""Whose fault a failure is, by what it says and by how far the original comes on the CPU."""

from __future__ import annotations

import re
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message

from ...project.paths import shown
from ..running.supervise import Ending, Run
from .explain import removed_name
from .failures import first_failure
from .model import Failure, Fault
from .stacks import hang

_OF_EMULATION = tuple(
    f"verify.cause.{name}.cause" for name in ("not-simulated", "out-of-memory", "shared-memory")
)
_OF_ENVIRONMENT = (
    *(
        f"verify.cause.{name}.cause"
        for name in (
            "module-missing",
            "torchtext",
            "download",
            "module-path",
            "program-missing",
            "torchvision-ops",
        )
    ),
    *("verify.module.of-project.cause", "verify.module.part.cause"),
    *("verify.file.absent.cause", "verify.file.option.cause", "verify.file.elsewhere.cause"),
    *("verify.cause.arguments.cause", "doctor.log.option-unknown.cause", "doctor.log.empty-data.cause"),
)
_PACKAGES = ("doctor.log.module-path.", "doctor.log.versions-differ.")
"""Begin the causes that are about packages which are not installed, or in another release."""
_OF_PROJECT = tuple(
    f"verify.cause.{name}.cause"
    for name in ("async-keyword", "division", "integers", "number", "python-2", "terminal")
)
"""What raises on every device, also where the original does not come so far."""
_VARIES = re.compile(r"0x[0-9a-f]+|\d+|(?:/[\w.+-]+)+/|\b(?:cuda|npu|cpu)\b")
"""What differs between two texts of one error: numbers, folders, devices."""
_LONGEST = 200


def blamed(failure: Failure, steps: int, original: Run | None, project: Path | None = None) -> Failure:
    """The failure with whose fault it is, as far as anything shows it.

    Args:
        steps: Those that the migrated project made before.
        original: How the original ran on the CPU, if it did.
        project: Where the original is.
    """
    fault, because = _by_itself(failure)
    if original is not None and project is not None and fault is not Fault.EMULATION:
        fault, because = _by_original(failure, fault, steps, original, project)
    if fault is Fault.MIGRATION and failure.type.startswith("signal"):
        fault = Fault.EMULATION
    return attrs.evolve(failure, fault=fault, because=because)


def without_made_up(failure: Failure) -> Failure:
    """The failure of a run with data that was made up, which may be another than the project reads: that its
    original fails in the same way shows nothing of the project, unless the cause raises on every device."""
    cause = failure.cause.id if failure.cause is not None else ""
    if failure.fault is not Fault.PROJECT or cause in _OF_PROJECT:
        return failure
    return attrs.evolve(failure, fault=None, because=Message.of("verify.fault.made-up"))


def _by_itself(failure: Failure) -> tuple[Fault | None, Message | None]:
    removed = removed_name(failure)
    if removed is not None:
        given = {"package": removed.package, "before": removed.before}
        return Fault.ENVIRONMENT, Message.of("verify.fault.removed", **given)
    cause = failure.cause.id if failure.cause is not None else ""
    if cause in _OF_EMULATION:
        return Fault.EMULATION, None
    if cause in _OF_PROJECT:
        return Fault.PROJECT, None
    is_of_environment = cause in _OF_ENVIRONMENT or cause.startswith(_PACKAGES)
    return (Fault.ENVIRONMENT if is_of_environment else None), None


def _by_original(
    failure: Failure, fault: Fault | None, steps: int, original: Run, project: Path
) -> tuple[Fault | None, Message | None]:
    """What the run of the original says beside the error itself."""
    if original.ending is Ending.DONE:
        return Fault.MIGRATION, Message.of("verify.fault.original-trains", steps=steps + 1)
    other = first_failure(original, project)
    if other is None:
        other = hang(original, project, original.seconds) if original.ending is Ending.TIMEOUT else None
    if other is None:
        return fault, None
    place = f"{shown(other.place.path)}:{other.place.line}" if other.place is not None else ""
    said = shown(f"{other.type}: {other.text}".partition("\n")[0][:_LONGEST])
    if _kind_of(other) == _kind_of(failure):
        return fault or Fault.PROJECT, Message.of("verify.fault.original-fails-too", place=place)
    return fault, Message.of("verify.fault.original-fails-otherwise", place=place, said=said)


def _kind_of(failure: Failure) -> tuple[str, str]:
    """What two failures with one reason have in common, wherever their lines are."""
    return failure.type, _VARIES.sub("", failure.text.partition("\n")[0])[:_LONGEST]
