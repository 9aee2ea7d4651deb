"""What replaces a name below ``torch.cuda`` in code for any accelerator, and since which release."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ...data import load_tsv
from ...model.finding import Message
from ...model.versions import SUPPORTED_VERSIONS, Version
from .history import lacking

CUDA = "torch.cuda"
FIRST = Version(2, 6)
"""The first release with ``torch.accelerator``."""
_BESIDE_RELEASES = {"torch.Event": FIRST, "torch.Stream": FIRST}
"""Classes that are older than what they do for every accelerator."""


class Neutral(NamedTuple):
    """What replaces a CUDA name."""

    cuda: str
    """The name below ``torch.cuda`` that the table has, with its module."""
    becomes: str
    """The neutral name; nothing where there is none."""
    form: str
    """How a call changes: see the table."""
    since: Version | None
    """The first release that has it."""
    without: str
    """What a call of the CUDA name does without CUDA: ``nothing``, or empty."""


@cache
def _table() -> dict[str, Neutral]:
    found = {}
    for row in load_tsv("accelerator"):
        becomes = row["becomes"] or ""
        name = f"{CUDA}.{row['cuda']}"
        found[name] = Neutral(
            name, becomes, row["form"], first_release(becomes) if becomes else None, row["without"]
        )
    return found


@cache
def first_release(name: str) -> Version:
    """The first release with ``torch.accelerator`` that has a name of torch.
    Raises ValueError: no known release has it."""
    if name in _BESIDE_RELEASES:
        return _BESIDE_RELEASES[name]
    for version in SUPPORTED_VERSIONS:
        if version >= FIRST and lacking(name, version) is None:
            return version
    raise ValueError(f"no release has {name}")


def neutral_name(name: str) -> Neutral | None:
    """What replaces a dotted name below ``torch.cuda``, by the longest part of it that the table has."""
    while name.startswith(CUDA):
        if name in _table():
            return _table()[name]
        name = name.rpartition(".")[0]
    return None


def explained(name: str, version: Version | None = None) -> tuple[Message, ...]:
    """What is said of a name below ``torch.cuda``; nothing for other names."""
    if not name.startswith(f"{CUDA}."):
        return ()
    found = neutral_name(name)
    if found is None or found.since is None:
        return (Message.of("accelerator.none", api=name),)
    said = [Message.of(f"accelerator.{found.form}", api=found.cuda, target=found.becomes, since=found.since)]
    if version is not None and version < found.since:
        said.append(Message.of("accelerator.later", target=found.becomes, since=found.since, version=version))
    return tuple(said)
