"""Which torch an interpreter has: read from the names of its metadata, never by running or importing it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import UnknownVersionError, choose_version

from ..paths import is_directory, is_file, resolved, shown
from .version_detect import Detected

_METADATA = re.compile(r"torch-(\d+\.\d+[^-]*?)(?:-[^/]*)?\.(?:dist|egg)-info")
_PACKAGES = (
    "lib/python3*/site-packages",
    "lib64/python3*/site-packages",
    "lib/python3*/dist-packages",
    "local/lib/python3*/dist-packages",
    "Lib/site-packages",
)
"""Below an environment's directory: of venv and conda on Linux and macOS, of Debian, of Windows."""
_PROJECT_ENVIRONMENTS = (".venv", "venv")
_VARIABLES = ("VIRTUAL_ENV", "CONDA_PREFIX")


def installed_version(interpreter: Path) -> Detected | None:
    """The supported version that matches the torch beside an interpreter; None if it has none, or several."""
    for environment in environments_of(interpreter):
        found = _version_in(environment)
        if found is not None:
            return found
    return None


def version_in_environments(root: Path, environ: Mapping[str, str] = os.environ) -> Detected | None:
    """The same for the environments that the user probably means."""
    for place in likely_environments(root, environ):
        found = _version_in(place)
        if found is not None:
            return found
    return None


def likely_environments(root: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """The environments that the user probably means: in the project, then the active one."""
    yield from (root / name for name in _PROJECT_ENVIRONMENTS)
    yield from (Path(environ[name]) for name in _VARIABLES if environ.get(name))


def environments_of(interpreter: Path) -> Iterator[Path]:
    """The directories that an interpreter may belong to: as it is called, then as links lead to it.

    In a virtual environment the interpreter itself is a link out of it.
    """
    seen = set()
    for path in (interpreter, resolved(interpreter)):
        for directory in (path.parent.parent, path.parent):  # on Windows conda's is at the top
            if directory not in seen and is_file(path):
                seen.add(directory)
                yield directory


def _version_in(environment: Path) -> Detected | None:
    spellings = sorted(set(_spellings(environment)))
    if len(spellings) != 1:
        return None
    try:
        version = choose_version(spellings[0]).version
    except UnknownVersionError:
        return None
    notice = Message.of(
        "project.version-installed", version=version, spelling=spellings[0], path=shown(environment)
    )
    return Detected(version, notice)


def _spellings(environment: Path) -> Iterator[str]:
    for packages in package_directories(environment):
        for name in entries_of(packages):
            match = _METADATA.fullmatch(name)
            if match is not None:
                yield match[1]


def package_directories(environment: Path) -> Iterator[Path]:
    """The directories of an environment in which packages are installed."""
    for pattern in _PACKAGES:
        yield from (packages for packages in environment.glob(pattern) if is_directory(packages))


def entries_of(directory: Path) -> list[str]:
    """The names in a directory; none if it cannot be listed."""
    try:
        return os.listdir(directory)  # noqa: PTH208
    except OSError:
        return []
