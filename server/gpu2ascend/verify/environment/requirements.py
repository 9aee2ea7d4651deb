"""What a project needs beside torch, read from its own lists; nothing of it is run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.facts.packages.pairs import PACKAGES, pair_of
from gpu2ascend_rules.facts.packages.third_party import cuda_package
from gpu2ascend_rules.kinds.packages.places import Locked, Requirement, Style
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.model.versions import Version

from ...project.regular_files import read_inside

REFERENCE = Version(2, 13, 0)
"""The release of torch that an environment of ours has."""
_LISTS = (
    "requirements.txt",
    "requirements.in",
    "pyproject.toml",
    "setup.cfg",
    "Pipfile",
    "environment.yml",
    "environment.yaml",
)
"""The first of these that lists something counts: the others repeat it, or are for development."""
_MAX_BYTES = 1_000_000
_COMPANIONS = ("torchvision", "torchaudio")
_NOT_INSTALLED = frozenset(
    {*PACKAGES, "pytorch", "triton", "triton-ascend", "apex", "python", "pip", "nvidia-apex"}
)
_WITHOUT_CUDA = frozenset({"drop", "build"})


class Wanted(NamedTuple):
    """What is to be installed."""

    specifiers: tuple[str, ...]
    """As pip takes them."""
    left_out: tuple[str, ...]
    """Names in the project's list that need CUDA, or that torch's CPU build replaces."""
    listed_in: str | None
    """The file that lists them."""


def wanted_packages(project: Path) -> Wanted:
    """torch's CPU build, numpy, and what the project requires beside torch, torch_npu and CUDA."""
    specifiers = [f"torch=={REFERENCE}", "numpy"]
    left_out: list[str] = []
    listed_in = None
    for name in _LISTS:
        found = list(_listed(project, name))
        if found:
            listed_in = name
            for requirement in found:
                specifier = _specifier(requirement)
                (left_out if specifier is None else specifiers).append(specifier or requirement.name)
            break
    unique = dict.fromkeys(item for item in specifiers if item)
    return Wanted(tuple(unique), tuple(dict.fromkeys(left_out)), listed_in)


def _listed(project: Path, name: str) -> Iterator[Requirement]:
    try:
        text = read_inside(project, project / name, _MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return
    file = kind_file(name, text)
    if file is None:
        return
    for place in file.places():
        if isinstance(place, Requirement) and not _is_optional(name, text, place):
            yield place
        elif isinstance(place, Locked):
            yield _of_locked(place)


def _is_optional(name: str, text: str, place: Requirement) -> bool:
    """Whether an entry of pyproject.toml is for development, or an extra."""
    if name != "pyproject.toml":
        return False
    before = text.encode()[: place.start].decode("utf-8", "replace")
    header = f"\n{before}".rpartition("\n[")[2].partition("]")[0]
    return header not in ("project", "tool.poetry.dependencies")


def _of_locked(place: Locked) -> Requirement:
    return Requirement(
        place.start, place.end, place.package, place.end, (), f"=={place.version}", (0, 0), "", Style.PIP,
        False, False, None, None, False,
    )  # fmt: skip


def _specifier(requirement: Requirement) -> str | None:
    """A requirement as pip takes it; None for what is not installed."""
    name = requirement.name
    if name in _COMPANIONS:
        release = pair_of(REFERENCE).release_of(name)
        return f"{name}=={release}" if release else None
    package = cuda_package(name)
    if name in _NOT_INSTALLED or (package is not None and package.treatment in _WITHOUT_CUDA):
        return None
    if requirement.is_url:
        return None
    extras = f"[{','.join(requirement.extras)}]" if requirement.extras else ""
    marker = f"; {requirement.marker}" if requirement.marker else ""
    return f"{name}{extras}{_versions(requirement)}{marker}"


def _versions(requirement: Requirement) -> str:
    """The releases as pip writes them; of other spellings a pin, else every release."""
    text = requirement.versions.strip().strip("()")
    if requirement.style is Style.PIP or text.startswith(("==", ">", "<", "~=", "!=")):
        return text
    plain = text.lstrip("=").strip()
    return f"=={plain}" if text.startswith("=") and plain else ""
