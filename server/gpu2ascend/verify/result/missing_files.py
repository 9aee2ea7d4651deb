"""Which file a run did not find, and how it is given one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from gpu2ascend_rules.model.finding import Message

from ...project.paths import is_file, shown
from ...project.regular_files import read_inside
from ...texts.shell import shell_line
from .coverage import files_without
from .model import Failure

_MISSING = re.compile(r"No such file or directory: '(?P<path>[^']+)'|file: name = '(?P<opened>[^']+)'")
_MAX_BYTES = 1_000_000
ELSEWHERE = "verify.file.elsewhere.cause"
"""The cause of a failure that another folder mends."""


def missing_file(failure: Failure, project: Path) -> tuple[Message, Message] | None:
    """What file is not there, and what to do; None where none is named, or a program is what is missing."""
    found = _MISSING.search(failure.text) if failure.type == "FileNotFoundError" else None
    path = (found["path"] or found["opened"]) if found is not None else ""
    if not path or "://" in path or not ("/" in path or PurePosixPath(path).suffix):
        return None
    script = failure.traceback[0].path if failure.traceback else ""
    beside = file_beside(path, script, project)
    if beside is not None:
        return beside
    option = next(_options(project, path), None)
    return _messages("absent" if option is None else "option", path=path, option=option or "")


def file_beside(path: str, script: str, project: Path) -> tuple[Message, Message] | None:
    """Where to start a script that reads a file of one of its folders; None where none has it."""
    place = PurePosixPath(script)
    folder = next((folder for folder in place.parents if is_file(project / folder / path)), PurePosixPath())
    if folder == PurePosixPath():
        return None
    command = shell_line(*command_in(folder, (script,)))
    return _messages("elsewhere", path=path, folder=str(folder), command=command)


def command_in(folder: PurePosixPath, command: Sequence[str]) -> tuple[str, ...]:
    """The command that starts a script in one of its folders."""
    script = PurePosixPath(command[0]).relative_to(folder)
    return "bash", "-c", f"{shell_line('cd', folder)} && {shell_line('python', script, *command[1:])}"


def _messages(kind: str, **given: str) -> tuple[Message, Message]:
    texts = {name: shown(text) for name, text in given.items()}
    key = f"verify.file.{kind}"
    return Message.of(f"{key}.cause", **texts), Message.of(f"{key}.remedy", **texts)


def _options(project: Path, path: str) -> Iterator[str]:
    """Arguments of scripts whose default is the path, or a folder of it."""
    for name in files_without(project, ()):
        try:
            tree = ast.parse(read_inside(project, project / name, _MAX_BYTES))
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
                default = next((word.value for word in node.keywords if word.arg == "default"), None)
                value = default.value if isinstance(default, ast.Constant) else None
                flags = [flag.value for flag in node.args if isinstance(flag, ast.Constant)]
                if flags and isinstance(value, str) and _is_of(value, path):
                    yield str(flags[-1])


def _is_of(value: str, path: str) -> bool:
    """Whether a path is below what an argument says."""
    parts, wanted = PurePosixPath(value).parts, PurePosixPath(path).parts
    return bool(parts) and wanted[: len(parts)] == parts
