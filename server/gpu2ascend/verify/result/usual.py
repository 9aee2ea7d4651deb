"""How a project itself starts a script: by a command of its README or of its shell scripts."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ...project.files.discover import walk
from ...project.files.excludes import Excludes
from ...project.regular_files import read_inside

_MAX_BYTES = 500_000
_MOST_FILES = 2000
_LONGEST = 500
_JOINED = re.compile(r"\\[ \t]*\r?\n\s*")
_PASSED_ON = re.compile(r"""\s+(?P<quote>["']?)\$[@*](?P=quote)(?=\s|$)""")
"""What a shell script is given itself."""
_ONLY_HELPS = re.compile(r"\s(?:-h|--help)(?:\s|$)|\\$")
_UNKNOWN = re.compile(r"\$|[<{\[]|\.\.\.")
"""What shows that an argument is for the reader, or for a shell, to replace."""

_NEEDS_ARGUMENTS = re.compile(
    r"""\brequired\s*=\s*True|\.add_argument\(\s*["'](?!-)|HfArgumentParser|fire\.Fire\(|@hydra\.main|sys\.argv\[1\]"""
    r"""|["']--\w*(?:config|cfg)\w*["'][^\n)]*\bdefault\s*=\s*None"""
)
_SET = re.compile(r"\w+=")


def words_to_start(project: Path, script: str) -> tuple[str, ...]:
    """What ``verify`` is given to start a script: with the project's arguments where it needs some."""
    try:
        text = read_inside(project, project / script, _MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return (script,)
    command = usual_command(project, script) if _NEEDS_ARGUMENTS.search(text) else None
    if command is None or _UNKNOWN.search(command):
        return (script,)
    try:
        words = list(itertools.dropwhile(_SET.match, shlex.split(command)))
    except ValueError:
        return (script,)
    names = (PurePosixPath(script), PurePosixPath(_module(script)))
    at = next((at for at, word in enumerate(words) if PurePosixPath(word) in names), None)
    if at is None:
        return (script,)
    at -= words[at - 1] == "-m"
    return tuple(words[at:] if words[0].startswith("python") else words)


def usual_command(project: Path, script: str) -> str | None:
    """A command that starts a script with arguments, as a project writes it; best without blanks."""
    found = list(dict.fromkeys(_commands(project, script)))
    return next((command for command in found if not _UNKNOWN.search(command)), next(iter(found), None))


def _commands(project: Path, script: str) -> Iterator[str]:
    started = rf"(?:(?:\./)?{re.escape(script)}|-m[ \t]+{re.escape(_module(script))})"
    pattern = re.compile(
        rf"^[\s$>`]*(?P<command>(?:\w+=\S+\s+)*(?:python[\d.]*|torchrun|accelerate\s+launch)\s[^\n]*?"
        rf"(?<![\w./-]){started}[ \t]+[^\s`|&;#>][^\n`|&;#]*?)\s*(?:[`|&;#]|\d?>|$)",
        re.MULTILINE,
    )
    for path in _told_in(project):
        try:
            text = read_inside(project, project / path, _MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        for found in pattern.finditer(_JOINED.sub(" ", text)):
            command = _PASSED_ON.sub("", " ".join(found["command"].split()))[:_LONGEST]
            if not _ONLY_HELPS.search(command):
                yield command


def _module(script: str) -> str:
    return script.removesuffix(".py").replace("/", ".")


def _told_in(project: Path) -> list[str]:
    """Shell scripts and README files, those nearest to the top first."""
    paths = [entry.path for entry, _ in zip(walk(project, Excludes(())), range(_MOST_FILES), strict=False)]
    told = [
        path for path in paths if path.endswith(".sh") or path.rpartition("/")[2].upper().startswith("README")
    ]
    return sorted(told, key=lambda path: (path.count("/"), path.endswith(".sh"), path))
