"""A machine as the checks see it: its files, variables and programs."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs

from ..project.options.installed import entries_of
from ..project.paths import exists, is_directory
from ..project.regular_files import WRITTEN_BY_HAND, read_regular
from . import tools
from .python_environment import PythonEnvironment
from .tools import Answer


@attrs.frozen(kw_only=True)
class Machine:
    """What can be asked of a machine."""

    root: Path = Path("/")
    """What stands for the top directory."""
    environ: Mapping[str, str] = attrs.field(factory=lambda: os.environ)
    ask: Callable[..., Answer | None] = tools.ask
    """Asks a program, by name and arguments: see :func:`.tools.ask`."""
    system: str = sys.platform
    architecture: str = attrs.field(factory=platform.machine)
    glibc: str | None = attrs.field(factory=lambda: _glibc())
    open_files: int | None = attrs.field(factory=lambda: _open_files())
    """How many files a process may have open."""
    python: PythonEnvironment | None = None
    """The environment that training would run in."""
    nodes: int = 1
    """Hosts that train together."""
    declared: str | None = None
    """The PyTorch version that the project names."""

    def path(self, absolute: str) -> Path:
        """Where a file of the machine lies."""
        return self.root / absolute.lstrip("/")

    def exists(self, absolute: str) -> bool:
        """Whether there is such a file or directory."""
        return exists(self.path(absolute))

    def is_directory(self, absolute: str) -> bool:
        """Whether there is such a directory."""
        return is_directory(self.path(absolute))

    def is_usable(self, absolute: str) -> bool:
        """Whether this user may read and write it."""
        return os.access(self.path(absolute), os.R_OK | os.W_OK)

    def names(self, absolute: str) -> list[str]:
        """The names in a directory, in order; none if it is not there."""
        return sorted(entries_of(self.path(absolute)))

    def text(self, absolute: str) -> str | None:
        """What a regular file holds; None if it cannot be read."""
        try:
            return read_regular(self.path(absolute), WRITTEN_BY_HAND).decode("utf-8", "replace")
        except OSError:
            return None

    def texts_below(self, absolute: str, pattern: str) -> Iterator[str]:
        """What the files hold whose path below a directory matches a pattern."""
        for path in sorted(self.path(absolute).glob(pattern)):
            text = self.text("/" + path.relative_to(self.root).as_posix())
            if text is not None:
                yield text

    @property
    def has_npu_files(self) -> bool:
        """Whether a driver left its traces: devices, or its directory."""
        return self.exists("/dev/davinci_manager") or self.is_directory("/usr/local/Ascend/driver")


def _glibc() -> str | None:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").rpartition(" ")[2] or None
    except (AttributeError, ValueError, OSError):  # not Linux, or another C library
        return None


def _open_files() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit
