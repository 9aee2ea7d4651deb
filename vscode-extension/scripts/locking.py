"""The lock: which files a listed version may be. What is none of them is neither installed nor packed.

A lock is a file of requirements with hashes as pip takes them; `lock.py` writes it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_HEAD = "# Written by scripts/lock.py from {source}. The hashes are those of the files on PyPI.\n"
_ENTRY = re.compile(r"^([\w-]+)==([\w.]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)


class Requirement(NamedTuple):
    """A line of the list of requirements."""

    name: str
    version: str
    """Exactly this one."""


Lock = Mapping[Requirement, frozenset[str]]
"""The SHA-256 of every file that a requirement may be."""


def lock_of(requirements: Path) -> Path:
    """Where the lock of a list of requirements is."""
    return requirements.with_suffix(".lock")


def read_lock(requirements: Path) -> Lock:
    """The lock of a list of requirements.

    Raises:
        SystemExit: there is something in it that is no requirement with hashes.
    """
    path = lock_of(requirements)
    text = path.read_text(encoding="utf-8")
    rest = re.sub(r"^#.*\n", "", _ENTRY.sub("", text), flags=re.MULTILINE)
    if rest.strip():
        raise SystemExit(f"{path}: not understood: {rest.split()[0]}")
    return {
        Requirement(name, version): frozenset(re.findall(r"sha256:([0-9a-f]{64})", hashes))
        for name, version, hashes in _ENTRY.findall(text)
    }


def write_lock(requirements: Path, wheels: Iterable[tuple[Requirement, Path]]) -> None:
    """Write the lock of a list of requirements from the files that were downloaded."""
    found: dict[Requirement, set[str]] = {}
    for requirement, wheel in wheels:
        found.setdefault(requirement, set()).add(digest(wheel))
    text = _HEAD.format(source=requirements.name)
    for requirement in sorted(found):
        text += pinned(requirement, found[requirement])
    lock_of(requirements).write_text(text, encoding="utf-8", newline="\n")


def pinned(requirement: Requirement, digests: Iterable[str]) -> str:
    """A requirement with its hashes, as `pip --require-hashes` wants it."""
    hashes = "".join(f" \\\n    --hash=sha256:{value}" for value in sorted(digests))
    return f"{requirement.name}=={requirement.version}{hashes}\n"


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def verify(wheel: Path, digests: Iterable[str]) -> None:
    """Look whether a wheel is one of those that are locked.

    Raises:
        SystemExit: it is not.
    """
    if digest(wheel) not in digests:
        raise SystemExit(f"{wheel.name}: not the file that is locked")
