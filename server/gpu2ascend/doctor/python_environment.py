"""The packages of a Python environment, read from their metadata. Nothing of it is started or imported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from ..project.options.installed import entries_of, environments_of, likely_environments, package_directories
from ..project.paths import is_directory
from ..project.regular_files import WRITTEN_BY_HAND, read_regular

_METADATA = re.compile(r"(?P<name>[A-Za-z0-9_.]+)-(?P<version>\d[^-]*)(?:-[^/]*)?\.(?:dist|egg)-info")
_PYTHON = re.compile(r"python(3\.\d+)")
_CONFIGURED = re.compile(r"^version(?:_info)?\s*=\s*(3\.\d+)", re.MULTILINE)
_CUDA = re.compile(r"^cuda\b[^=\n]*=\s*(?:None|['\"](?P<version>[^'\"]+)['\"])", re.MULTILINE)
_NEEDS_TORCH = re.compile(r"^Requires-Dist:\s*torch\s*\(?==\s*([0-9.]+)", re.MULTILINE)


@attrs.frozen
class PythonEnvironment:
    """An environment, and what is installed in it."""

    directory: Path
    python: str | None
    """Such as ``3.11``; None if nothing says it."""
    versions: Mapping[str, str]
    """Of each package, by its name in lower case with ``-``."""
    _places: Mapping[str, Path]
    """The directory of each package's metadata."""

    @property
    def cuda_of_torch(self) -> str | None:
        """The CUDA version for which torch was built; None of a build for the CPU."""
        if "torch" not in self._places:
            return None
        match = _CUDA.search(_text(self._places["torch"].parent / "torch" / "version.py"))
        return match["version"] if match is not None else None

    def library_of(self, package: str, name: str) -> Path | None:
        """A library that a package brings in the directory beside it, such as ``torch.libs/libgomp-1.so``."""
        if package not in self._places:
            return None
        directory = self._places[package].parent / f"{package}.libs"
        return next(
            (directory / entry for entry in sorted(entries_of(directory)) if entry.startswith(name)), None
        )

    def torch_needed_by(self, package: str) -> str | None:
        """The one torch version that a package says it needs."""
        if package not in self._places:
            return None
        match = _NEEDS_TORCH.search(_text(self._places[package] / "METADATA"))
        return match[1] if match is not None else None


def environment_of(
    interpreter: Path | None, project: Path | None, environ: Mapping[str, str]
) -> PythonEnvironment | None:
    """The environment of an interpreter, or that which the user probably means.

    That is the one in the project, the active one, or that of the first ``python3`` on the PATH.
    """
    for directory in _candidates(interpreter, project, environ):
        found = _read(directory)
        if found is not None:
            return found
    return None


def _candidates(interpreter: Path | None, project: Path | None, environ: Mapping[str, str]) -> Iterator[Path]:
    if interpreter is not None:
        yield from environments_of(interpreter)
        return
    yield from likely_environments(project if project is not None else Path.cwd(), environ)
    for entry in environ.get("PATH", "").split(":"):
        if entry.startswith("/"):
            yield from environments_of(Path(entry) / "python3")


def _read(directory: Path) -> PythonEnvironment | None:
    versions: dict[str, str] = {}
    places: dict[str, Path] = {}
    python = None
    for packages in (place for base in _with_base(directory) for place in package_directories(base)):
        match = _PYTHON.search(packages.as_posix())
        python = python or (match[1] if match is not None else None)
        for name in entries_of(packages):
            found = _METADATA.fullmatch(name)
            if found is not None:
                package = found["name"].lower().replace("_", "-").replace(".", "-")
                versions.setdefault(package, found["version"])
                places.setdefault(package, packages / name)
    if python is None:
        python = _configured_python(directory)
    return PythonEnvironment(directory, python, versions, places) if versions or python else None


def _with_base(directory: Path) -> Iterator[Path]:
    """The environment, and that below it, if its packages are seen too."""
    yield directory
    text = _text(directory / "pyvenv.cfg")
    home = re.search(r"^home\s*=\s*(.+)$", text, re.MULTILINE)
    if home is not None and re.search(r"^include-system-site-packages\s*=\s*true", text, re.MULTILINE):
        base = Path(home[1].strip()).parent
        if is_directory(base):
            yield base


def _configured_python(directory: Path) -> str | None:
    match = _CONFIGURED.search(_text(directory / "pyvenv.cfg"))
    return match[1] if match is not None else None


def _text(path: Path) -> str:
    try:
        return read_regular(path, WRITTEN_BY_HAND).decode("utf-8", "replace")
    except OSError:
        return ""
