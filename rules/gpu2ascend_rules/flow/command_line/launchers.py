"""Which launchers start a Python program, by the scripts and documents of its project."""

from __future__ import annotations

import enum
import posixpath
import re
from collections.abc import Iterator

from ...kinds.registry import kind_file
from ...kinds.shell.places import Command, Word
from ...limits.checkpoints import checkpoint
from ...model.project.project_view import ProjectView
from .programs import program_of, python_at

_FOLDERS = (
    "", "scripts", "script", "bin", "run", "runs", "tools", "launch", "examples", "experiments", "slurm",
    "shell", "sh", "bash", "docs", "doc",
)  # fmt: skip
"""Where scripts that start a program are, from its directory and those above it."""
_MOST_SCRIPTS = 200
"""Files that are looked at for one program."""
_DOCUMENT = re.compile(r"readme[^/]*\.(?:rst|txt)|[^/]*\.md", re.I)
_JOINED = re.compile(r"\\\r?\n")
_PROGRAM = re.compile(r"[\w./-]+\.py\b")
_WITHOUT_OPTION = re.compile(r"--use[-_]env")


class Launcher(enum.Enum):
    """A program that starts processes, by what it gives them."""

    TORCHRUN = "torchrun"
    """Sets LOCAL_RANK and passes no option; ``accelerate launch`` as well."""
    LAUNCH = "torch.distributed.launch"
    """Sets LOCAL_RANK and passes ``--local-rank``; before torch 2.0 ``--local_rank``."""
    DEEPSPEED = "deepspeed"
    """Sets LOCAL_RANK and passes ``--local_rank``."""


_NAMED: tuple[tuple[re.Pattern[str], Launcher], ...] = (
    (re.compile(r"(?:^|[\s/\"'])deepspeed(?=[\s\"']|$)"), Launcher.DEEPSPEED),
    (re.compile(r"\btorch\.distributed\.launch\b"), Launcher.LAUNCH),
    (re.compile(r"\btorchrun\b|\btorch\.distributed\.run\b"), Launcher.TORCHRUN),
    (re.compile(r"\baccelerate\s+launch\b"), Launcher.TORCHRUN),
)
_WORDS = ("deepspeed", "torch.distributed", "torchrun", "accelerate")
"""One of them is in whatever a pattern finds: to look for words takes a tenth of the time."""


def launchers_of(path: str, project: ProjectView) -> frozenset[Launcher]:
    """The launchers of a Python file; if no script starts it, those of the other programs near it.

    A file that only defines options is imported by the programs that scripts start.
    """
    own: set[Launcher] = set()
    others: set[Launcher] = set()
    for script in _scripts_near(path, project):
        checkpoint()
        text = project.text_at(script)
        if text is None or not any(word in text for word in _WORDS) or _launcher_in(text) is None:
            continue
        for program, launcher in _starts(script, text, project):
            (own if program.rpartition("/")[2] == path.rpartition("/")[2] else others).add(launcher)
    return frozenset(own or others)


def _scripts_near(path: str, project: ProjectView) -> list[str]:
    """The files beside a program and above it, and in the folders there that usually have scripts."""
    directories: dict[str, None] = {}
    above = posixpath.dirname(path)
    while True:
        directories.update((posixpath.join(above, name).rstrip("/"), None) for name in _FOLDERS)
        if not above:
            break
        above = posixpath.dirname(above)
    found = (
        posixpath.join(directory, name) for directory in directories for name in project.names_in(directory)
    )
    return [item for item, _ in zip(_candidates(found), range(_MOST_SCRIPTS), strict=False)]


def _candidates(paths: Iterator[str]) -> Iterator[str]:
    return (path for path in paths if not path.endswith((".py", ".ipynb", ".json", ".yaml", ".yml")))


def _starts(path: str, text: str, project: ProjectView) -> Iterator[tuple[str, Launcher]]:
    """The programs that a file starts with a launcher, each by its path, or as it is written."""
    if _DOCUMENT.fullmatch(path.rpartition("/")[2]):
        for line in _JOINED.sub(" ", text).splitlines():
            yield from _started_in(line)
        return
    script = kind_file(path, text)
    for place in script.places() if script is not None else ():
        if isinstance(place, Command):
            yield from _started_by(place.words, project, path)


def _started_in(command: str) -> Iterator[tuple[str, Launcher]]:
    """The program that a command starts with a launcher, by its text alone."""
    launcher, program = _launcher_in(command), _PROGRAM.search(command)
    if launcher is not None and program is not None:
        yield program[0], launcher


def _started_by(words: tuple[Word, ...], project: ProjectView, path: str) -> Iterator[tuple[str, Launcher]]:
    at = program_of(words)
    if at is None:
        at = next((i for i, word in enumerate(words) if (word.text or "").endswith(".py")), None)
    if at is None:
        return
    launcher = _launcher_in(" ".join(word.raw for word in words[:at]))
    if launcher is not None:
        found = python_at(words[at], project, path)
        yield found[0] if found is not None else words[at].text or "", launcher


def _launcher_in(command: str) -> Launcher | None:
    found = next((launcher for pattern, launcher in _NAMED if pattern.search(command)), None)
    if found is Launcher.LAUNCH and _WITHOUT_OPTION.search(command):
        return Launcher.TORCHRUN
    return found
