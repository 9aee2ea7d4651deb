"""Whether what a list asks for allows a release, and how a list writes one.

What reads versions is imported when there is one: rules for lists of packages look at scripts, too.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING

from .places import Requirement, Style

if TYPE_CHECKING:
    from packaging.version import Version

_LOCAL = re.compile(r"(==\s*[\w.]+)\+[\w.]+")
_CUDA_BUILD = re.compile(r"\+cu\d+")
_EXACT = re.compile(r"={2,3}\s*v?(\d+)\.(\d+)(?:\.\d+)*(?:\.\*)?$")
_PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")


class Fit(enum.Enum):
    """How a requirement stands to a release."""

    EXACT = "exact"
    """It asks for this release and no other."""
    ALLOWED = "allowed"
    """It allows the release, or pins another patch release of the same minor one."""
    EXCLUDED = "excluded"
    UNREADABLE = "unreadable"


def fit_of(place: Requirement, release: str) -> Fit:
    """How a requirement stands to a release."""
    if place.is_url and not place.versions:
        return Fit.UNREADABLE
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version

    written = place.versions.strip().strip("()").strip()
    try:
        specifiers = SpecifierSet(_LOCAL.sub(r"\1", _as_pip(written, place.style)))
        wanted = Version(release)
    except (InvalidSpecifier, InvalidVersion):
        return Fit.UNREADABLE
    listed = list(specifiers)
    if len(listed) == 1 and listed[0].operator in ("==", "===") and listed[0].version == release:
        return Fit.ALLOWED if is_cuda_build(place) else Fit.EXACT
    if specifiers.contains(wanted, prereleases=True):
        return Fit.ALLOWED
    return Fit.ALLOWED if len(listed) == 1 and _same_minor(str(listed[0]), wanted) else Fit.EXCLUDED


def ends_before(place: Requirement, release: str) -> bool:
    """Whether a requirement allows only releases older than one."""
    if place.is_url and not place.versions:
        return False
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version

    written = place.versions.strip().strip("()").strip()
    try:
        specifiers = SpecifierSet(_LOCAL.sub(r"\1", _as_pip(written, place.style)))
        wanted = Version(release)
        return any(
            _is_below(item.operator, Version(item.version.removesuffix(".*")), wanted) for item in specifiers
        ) and not specifiers.contains(wanted)
    except (InvalidSpecifier, InvalidVersion):
        return False


def _is_below(operator: str, version: Version, wanted: Version) -> bool:
    """Whether a clause allows nothing from a release on."""
    return (
        version < wanted if operator in ("==", "===", "<=", "~=") else operator == "<" and version <= wanted
    )


def is_cuda_build(place: Requirement) -> bool:
    """Whether a build for CUDA is pinned: ``torch==2.1.0+cu118``."""
    return _CUDA_BUILD.search(place.versions) is not None


def written_release(release: str, style: Style) -> str:
    """How a list writes that it wants just this release."""
    return {Style.POETRY: release, Style.CONDA: f"={release}"}.get(style, f"=={release}")


def written_entry(name: str, release: str, style: Style, marker: str = "") -> str:
    """How a list writes an entry."""
    if style in (Style.POETRY, Style.PIPFILE):
        return f'{name} = "{written_release(release, style)}"'
    return f"{name}{written_release(release, style)}" + (f"; {marker}" if marker else "")


def holds_on_ascend(marker: str, machines: tuple[str, ...] = ("aarch64", "x86_64")) -> bool:
    """Whether the condition of a requirement can hold on a machine with NPUs: Linux, CPython."""
    if not marker:
        return True
    from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
    from packaging.version import InvalidVersion

    try:
        condition = Marker(marker)
        return (
            any(
                condition.evaluate(
                    {
                        **{"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
                        **{"platform_machine": machine, "python_version": python, "extra": ""},
                        "python_full_version": f"{python}.0",
                    }
                )
                for python in _PYTHONS
                for machine in machines
            )
            or "extra" in marker
        )
    except (InvalidMarker, UndefinedEnvironmentName, InvalidVersion):
        return True


def _same_minor(specifier: str, wanted: Version) -> bool:
    exact = _EXACT.match(specifier)
    return exact is not None and (int(exact[1]), int(exact[2])) == wanted.release[:2]


def _as_pip(written: str, style: Style) -> str:
    """A range as pip writes it."""
    if style is Style.PIP:
        return written
    if written in ("", "*"):
        return ""
    if style is Style.CONDA:
        return _conda(written)
    return ",".join(_poetry(part.strip()) for part in written.split(","))


def _poetry(part: str) -> str:
    if part[:1] in "<>=!" or part.startswith("~="):
        return part
    numbers = part.lstrip("^~").strip()
    if part.startswith("^"):
        from packaging.version import Version

        version = Version(numbers)
        at = next((index for index, number in enumerate(version.release) if number), 0)
        upper = [*version.release[:at], version.release[at] + 1]
        return f">={numbers},<{'.'.join(map(str, upper))}"
    if part.startswith("~"):
        return f">={numbers},=={'.'.join(numbers.split('.')[:2])}.*"
    return f"=={numbers}"


def _conda(written: str) -> str:
    version = written.lstrip("=").split("=")[0] if written.startswith("=") else written
    if not written.startswith("="):
        return written
    return f"=={version}" if written.startswith("==") or version.endswith("*") else f"=={version}.*"
