"""What is to be verified, and how."""

from __future__ import annotations

from pathlib import Path

import attrs

from gpu2ascend_rules.model.versions import NEWEST, Version

from ..project.manifest.marker import read_marker
from ..project.options.version_detect import version_spelled
from ..project.paths import is_directory, resolved
from .environment.emulation import Choice

DEFAULT_STEPS = 3
DEFAULT_SECONDS = 600


@attrs.frozen(kw_only=True)
class VerifyRequest:
    """One run of a project's own entry command."""

    project: Path
    """Its directory, without links; the command is run in it."""
    command: tuple[str, ...]
    """A script of Python with its arguments, ``-m`` and a module, or a launcher of the project's own."""
    version: Version
    """The release whose names and tables count."""
    ranks: int | None = None
    """Processes to start by torchrun's protocol; None for one, or what a launcher starts."""
    steps: int = DEFAULT_STEPS
    """Steps of an optimizer that every rank is to make."""
    seconds: float = DEFAULT_SECONDS
    """After which the run is given up."""
    seed: int = 0
    python: Path | None = None
    """The interpreter; None for one with torch's CPU build that is made once."""
    index: str | None = None
    """Where packages come from; None for what pip is configured with."""
    torch_index: str | None = None
    """Where torch's CPU build comes from beside that; None for PyTorch's own."""
    older: tuple[str, ...] = ()
    """Releases that the environment stays below, since a run has shown that the code needs it."""
    allows_sources: bool = False
    """Whether pip gets the addresses, paths and indexes of the project's lists, and not only names."""
    device: Choice = Choice.AUTO
    """Which device it runs on."""
    source: Path | None = None
    """The original, to compare the losses with."""
    fakes_data: bool = False
    """Whether samples are made up in place of data that is not here."""
    runs_original: bool = True
    """Whether the original may run on the CPU after a failure, to see whose fault it is."""


def version_for(project: Path, chosen: Version | None, of_settings: Version | None) -> Version:
    """The release that counts: the chosen one, that of the migration, that of the settings, or the newest."""
    return chosen or _version_of_migration(project) or of_settings or NEWEST


def original_of(project: Path) -> Path | None:
    """What a project was migrated from, if it still is where it was."""
    marker = read_marker(project)
    if marker is None or marker.source is None:
        return None
    source = resolved(project / marker.source)
    return source if is_directory(source) and source != resolved(project) else None


def _version_of_migration(project: Path) -> Version | None:
    marker = read_marker(project)
    return version_spelled(marker.torch) if marker is not None and marker.torch is not None else None
