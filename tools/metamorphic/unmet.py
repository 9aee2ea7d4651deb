"""What is known not to be decided alike after a refactoring, with the reason."""

from __future__ import annotations

from typing import NamedTuple

from .samples import Sample


class Unmet(NamedTuple):
    """Refactorings of the samples that have a text."""

    text: str
    """Part of the sample."""
    refactorings: tuple[str, ...]
    """How the names of the refactorings begin."""
    reason: str


UNMET = (
    Unmet(
        "faiss.Kmeans(8, 4, gpu=device.type == 'cuda')",
        ("the call moved",),
        "what a function answers is not followed to a library that has GPUs of its own",
    ),
    Unmet(
        "class Backend(Enum):",
        ("the call moved, by default", "the call moved, within"),
        "a branch for hccl beside a test counts where both tests stand in one statement",
    ),
    Unmet(
        "b = {'cuda': 'nccl', 'cpu': 'gloo'}[device.type]",
        ("given ", "put into a table"),
        "both entries are written as one text, which counts as a change of the word",
    ),
)


def is_unmet(sample: Sample, refactoring: str) -> bool:
    """Whether a refactoring of a sample is known not to be decided alike."""
    return any(row.text in sample.text and refactoring.startswith(row.refactorings) for row in UNMET)
