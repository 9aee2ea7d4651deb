"""A Python of which every process records what it opens, writes, connects to and runs.

It is a virtual environment with an audit hook in its own ``site-packages``: a process that is started with
``-I``, and one that shares nothing with its parent but the interpreter, has it too. The hook forbids nothing.
"""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import venv
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

TOP = Path(__file__).parents[2]

_HOOK = """
import os, sys

FOLDER = {folder!r}
EVENTS = (
    "open", "os.", "shutil.", "socket.", "subprocess.Popen", "pty.spawn", "ctypes.dlopen", "winreg.",
    "urllib.Request", "http.client.connect", "tempfile.",
)
recording = False


def text(value):
    if isinstance(value, bytes):
        return os.fsdecode(value)
    return value if isinstance(value, (str, int)) or value is None else str(value)


def hook(event, arguments):
    global recording
    if recording or not event.startswith(EVENTS):
        return
    recording = True
    try:
        if event == "subprocess.Popen":
            details = [text(arguments[0]), *map(text, arguments[1])]
        else:
            details = [text(argument) for argument in arguments]
        record(event, details)
    finally:
        recording = False


def record(event, details):
    import json

    try:
        directory = os.getcwd()
    except OSError:
        directory = ""
    line = json.dumps([event, directory, details]).encode() + b"\\n"
    path = os.path.join(FOLDER, f"{{os.getpid()}}.jsonl")
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


recording = True
record("start", getattr(sys, "orig_argv", sys.argv))
recording = False
sys.addaudithook(hook)
"""

_WRITES = frozenset(
    {
        *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "os.truncate"),
        *("os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr", "os.mkfifo", "os.mknod"),
        *("shutil.rmtree", "shutil.move", "shutil.copyfile"),
    }
)
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Event(NamedTuple):
    """Something that a process did."""

    name: str
    """As Python's audit events are called; ``start`` for the process itself."""
    directory: str
    """The current one at that moment."""
    arguments: list[Any]

    @property
    def opened(self) -> Path | None:
        """The path that was opened or looked into, absolute; its links are as they are."""
        if self.name not in ("open", "os.listdir", "os.scandir") or not isinstance(self.arguments[0], str):
            return None
        return self._absolute(self.arguments[0])

    @property
    def written(self) -> tuple[Path, ...]:
        """The paths that were opened for writing, made, changed or removed."""
        if self.name == "open":
            flags = self.arguments[2] if isinstance(self.arguments[2], int) else 0
            path = self.opened
            return (path,) if path is not None and flags & _WRITE_FLAGS else ()
        if self.name not in _WRITES:
            return ()
        count = 2 if self.name in ("os.rename", "shutil.move") else 1
        # The first argument of these is only what a link says, or what is read.
        first = 1 if self.name in ("os.symlink", "os.link", "shutil.copyfile") else 0
        named = [item for item in self.arguments[first : first + count] if isinstance(item, str)]
        return tuple(self._absolute(item) for item in named)

    def _absolute(self, path: str) -> Path:
        return Path(os.path.normpath(Path(self.directory, path)))


class Watch:
    """An environment whose processes are watched."""

    def __init__(self, folder: Path) -> None:
        self.records = folder / "records"
        self.records.mkdir(parents=True)
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.home = folder / "home"
        self.home.mkdir()
        self.cache = folder / "cache"
        self.cache.mkdir()  # a program that was not installed, as here, keeps the page of its rules in it
        home = folder / "python"
        venv.create(home, symlinks=sys.platform != "win32")
        scripts = home / ("Scripts" if sys.platform == "win32" else "bin")
        self.python = scripts / ("python.exe" if sys.platform == "win32" else "python")
        packages = next(home.glob("[Ll]ib/site-packages"), None) or next(
            home.glob("lib/python*/site-packages")
        )
        (packages / "watching_hook.py").write_text(_HOOK.format(folder=str(self.records)), encoding="utf-8")
        ours = [TOP / "rules", TOP / "server", *map(Path, site.getsitepackages())]
        lines = ["import watching_hook", *map(str, ours)]
        (packages / "watching.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        """The variables of every process: a home and a place for temporary files of its own."""
        inherited = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        places = dict.fromkeys(("HOME", "USERPROFILE"), str(self.home))
        places |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self.temporary))
        places |= dict.fromkeys(("XDG_CACHE_HOME", "LOCALAPPDATA"), str(self.cache))
        return {**inherited, **places, "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"}

    def command(self, *arguments: str) -> list[str]:
        """The command line of gpu2ascend in this environment."""
        return [str(self.python), "-I", "-B", "-m", "gpu2ascend", *arguments]

    def run(self, *arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.command(*arguments),
            cwd=directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=600,
        )

    def events(self) -> Iterator[Event]:
        """What all processes did."""
        for path in sorted(self.records.glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield Event(*json.loads(line))

    def processes(self) -> list[list[str]]:
        """The command line of every process of Python that has run."""
        return [event.arguments for event in self.events() if event.name == "start"]


def is_below(path: Path, tops: Iterable[Path]) -> bool:
    """Whether a path, wherever its links lead, is one of these directories or below one."""
    real = _real(str(path))
    return any(real == top or real.startswith(top + os.sep) for top in (_real(str(top)) for top in tops))


@cache
def _real(path: str) -> str:
    return os.path.realpath(path)
