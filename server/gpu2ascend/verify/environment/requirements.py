"""What a project needs beside torch, read from its own lists; nothing of it is run."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.utils import canonicalize_name

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts.packages.pairs import PACKAGES, pair_of
from gpu2ascend_rules.facts.packages.third_party import cuda_package
from gpu2ascend_rules.kinds.packages.places import Locked, Requirement, Style
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.model.versions import Version

from ...project.paths import resolved
from ...project.regular_files import read_inside
from .imported import has_code, imported_packages
from .sources import LINES, Source, checked_name, sources_in

_TABLES = Path(__file__).parents[1] / "tables"
REFERENCE = Version(2, 13, 0)
"""The release of torch that an environment has which is not made for torch_npu itself."""
_FIRST_WITH_NUMPY_2 = Version(2, 3, 0)
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
_MAX_LISTS = 50
WHEEL = "torch-npu"
BUILD_TOOLS = "setuptools<81"
"""The releases that have ``pkg_resources``, which the build code of older packages imports."""
_BESIDE_WHEEL = ("pyyaml", BUILD_TOOLS)
"""What torch_npu imports, and some releases do not ask for."""
_CPU_BUILD = "+cpu"
_NAMES_CPU_BUILD = frozenset({"x86_64"})
"""Machines for which torch_npu asks for torch's CPU build by its version, which not every index has."""
_COMPANIONS = ("torchvision", "torchaudio")
_NOT_INSTALLED = frozenset({*PACKAGES, "pytorch", "triton-ascend", "apex", "python", "pip", "nvidia-apex"})
_WITHOUT_CUDA = frozenset({"drop", "build"})
_COMPILER = "triton"
"""What a torch built for CUDA asks for beside CUDA's own packages."""


class Wanted(NamedTuple):
    """What is to be installed."""

    specifiers: tuple[str, ...]
    """As pip takes them behind ``--``: names with versions; with the user's leave, also places."""
    left_out: tuple[str, ...]
    """Names in the project's list that need CUDA, or that torch's CPU build replaces."""
    options: tuple[str, ...] = ()
    """Options of pip that name an index, with the user's leave only."""
    refused: tuple[str, ...] = ()
    """What else the list has, as written: places that the user has not allowed."""
    unusable: tuple[str, ...] = ()
    """What pip never gets, as written."""
    of_torch: int = 2
    """So many specifiers at the beginning are torch's and what it needs, and not of the project's list."""
    apart: tuple[str, ...] = ()
    """What is installed without what it asks for."""
    unlisted: tuple[str, ...] = ()
    """Packages among them that no list has, and files of the project import."""

    def with_any_build(self) -> Wanted | None:
        """The same with whatever build of torch an index has; None where that is what is wanted already."""
        torch, *others = self.specifiers
        if not torch.endswith(_CPU_BUILD):
            return None
        apart = tuple(text for text in others[: self.of_torch - 1] if text.startswith(WHEEL))
        kept = (torch.removesuffix(_CPU_BUILD), *(text for text in others if text not in apart))
        return self._replace(specifiers=kept, apart=apart, of_torch=self.of_torch - len(apart))


class _Reading:
    """Collects what the lists of a project want."""

    def __init__(
        self, project: Path, allows_sources: bool, release: Version | None, older: Sequence[str]
    ) -> None:
        self._project = project
        self._allows_sources = allows_sources
        self._read: set[Path] = set()
        self._torch = release or REFERENCE
        build = _CPU_BUILD if release is not None and platform.machine() in _NAMES_CPU_BUILD else ""
        self.specifiers = [
            f"torch=={self._torch}{build}",
            "numpy" if self._torch >= _FIRST_WITH_NUMPY_2 else "numpy<2",
            *([f"{WHEEL}=={release}.*", *_BESIDE_WHEEL] if release is not None else ()),
            *older,
        ]
        self.of_torch = len(self.specifiers)
        self.options: list[str] = []
        self.left_out: list[str] = []
        self.refused: list[str] = []
        self.unusable: list[str] = []
        self.names: set[str] = set()
        """Of the packages that the lists have."""

    def read(self, name: str) -> bool:
        """Read a list; whether it has anything."""
        path = self._project / name
        if path in self._read or len(self._read) >= _MAX_LISTS:
            return False
        self._read.add(path)
        try:
            text = read_inside(self._project, path, _MAX_BYTES).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return False
        sources = list(sources_in(self._project, name, text))
        elsewhere = {source.name for source in sources if source.name is not None}
        requirements = [item for item in _listed(name, text) if item.name not in elsewhere]
        for requirement in requirements:
            self._add(requirement)
        for source in sources:
            self._add_source(source)
        return bool(requirements or sources)

    def read_imports(self) -> tuple[str, ...]:
        """Add what the project imports and does not list."""
        found = imported_packages(self._project, self.names)
        unlisted = tuple(name for name in found if not _is_left_out(name, self._torch))
        self.specifiers += [_without_list(name, self._torch) for name in unlisted]
        return unlisted

    def limit(self) -> None:
        """Add what a package needs and does not ask for, unless the lists name it."""
        for row in load_tsv("limits", _TABLES):
            is_open = row["other"] not in self.names or row["package"] == row["other"] in self.specifiers
            is_wanted = row["package"] in self.names.union(self.specifiers) and is_open
            if is_wanted and (not row["code"] or has_code(self._project, row["code"])):
                self.specifiers.append(row["other"] + row["versions"])

    def _add(self, requirement: Requirement) -> None:
        self.names.add(requirement.name)
        if _is_left_out(requirement.name, self._torch):
            self.left_out.append(requirement.name)
            return
        specifier = _specifier(requirement, self._torch)
        if specifier is None:
            self.unusable.append(f"{requirement.name} {requirement.versions}".strip())
        else:
            self.specifiers.append(specifier)

    def _add_source(self, source: Source) -> None:
        if source.name is not None:
            self.names.add(source.name)
        if source.name is not None and _is_left_out(source.name, self._torch):
            self.left_out.append(source.name)
        elif not source.can_be_used:
            self.unusable.append(source.written)
        elif not self._allows_sources:
            self.refused.append(source.written)
        elif source.nested is not None:
            self.read(source.nested.relative_to(resolved(self._project)).as_posix())
        elif source.option is not None:
            self.options.append(source.option)
        elif source.item is not None:
            self.specifiers.append(source.item)


def wanted_packages(
    project: Path, *, allows_sources: bool = False, release: Version | None = None, older: Sequence[str] = ()
) -> Wanted:
    """torch's CPU build, numpy, and what the project requires beside torch, torch_npu and CUDA.

    Args:
        allows_sources: Whether the user lets the project name places that packages come from.
        release: That of torch_npu itself, which is then wanted as well.
        older: What counts more than the lists.
    """
    reading = _Reading(project, allows_sources, release, older)
    any(map(reading.read, _LISTS))  # the first that has anything
    unlisted = reading.read_imports()
    reading.limit()
    found = (reading.specifiers, reading.left_out, reading.options, reading.refused, reading.unusable)
    specifiers, left_out, options, refused, unusable = (tuple(dict.fromkeys(texts)) for texts in found)
    return Wanted(specifiers, left_out, options, refused, unusable, reading.of_torch, (), unlisted)


def _listed(name: str, text: str) -> Iterator[Requirement]:
    file = kind_file("requirements.txt" if name.endswith(LINES) else name, text)
    if file is None:
        return
    for place in file.places():
        if isinstance(place, Requirement) and not place.is_url and not _is_optional(name, text, place):
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
    return Requirement(place.start, place.end, place.package, place.end, (), f"=={place.version}", (0, 0))


def _is_left_out(name: str, torch: Version) -> bool:
    if name in _COMPANIONS:
        return not pair_of(torch).release_of(name)
    return name in _NOT_INSTALLED or needs_cuda(name)


def follows_torch(name: str) -> bool:
    """Whether no release of a package is chosen by what the project asks of it."""
    return canonicalize_name(name) in _NOT_INSTALLED


def needs_cuda(name: str) -> bool:
    """Whether a package is of no use without CUDA."""
    package = cuda_package(name)
    return name == _COMPILER or (package is not None and package.treatment in _WITHOUT_CUDA)


def _specifier(requirement: Requirement, torch: Version) -> str | None:
    """A requirement by its name, as PEP 508 writes it; None for what is no name with versions."""
    name = requirement.name
    if name in _COMPANIONS:
        return _without_list(name, torch)
    extras = f"[{','.join(requirement.extras)}]" if requirement.extras else ""
    marker = f"; {requirement.marker}" if requirement.marker else ""
    return checked_name(f"{name}{extras}{_versions(requirement)}{marker}")


def _without_list(name: str, torch: Version) -> str:
    """The release of a package that is chosen for torch, not by the project."""
    return f"{name}=={pair_of(torch).release_of(name)}" if name in _COMPANIONS else name


def _versions(requirement: Requirement) -> str:
    """The releases as pip writes them; of other spellings a pin, else every release."""
    text = requirement.versions.strip().strip("()")
    if requirement.style is Style.PIP or text.startswith(("==", ">", "<", "~=", "!=")):
        return text
    plain = text.lstrip("=").strip()
    return f"=={plain}" if text.startswith("=") and plain else ""
