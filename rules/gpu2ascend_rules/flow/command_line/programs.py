"""Which of the project's programs a command starts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from ...engine.places.context import PlaceContext
from ...kinds.shell.places import Command, Word
from ...model.project.project_view import ProjectView
from ...text.plain.python_files import is_python, may_have_head

_NAME = re.compile(r"(?:\.{1,2}/)*[\w-]+(?:/[\w-]+)*", re.ASCII)
_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")
_ENTRY = re.compile(r"([\w.-]+)[\"']?\s*=\s*[\"']?([A-Za-z_][\w.]*):[A-Za-z_]")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_SCRIPT = re.compile(r"(?!-).*\.pyw?", re.DOTALL)
_LAUNCHERS = frozenset(
    {"torchrun", "deepspeed", "accelerate", "horovodrun", "bigdl-llm", "composer", "fabric"}
)
_LAUNCHER_MODULES = (
    "torch.distributed.",
    "accelerate.",
    "deepspeed.",
    "cProfile",
    "pdb",
    "coverage",
    "trace",
)
_RUNS_NOTHING = frozenset(
    {
        *(
            "echo",
            "printf",
            "cat",
            "ls",
            "grep",
            "egrep",
            "sed",
            "awk",
            "find",
            "test",
            "[",
            "head",
            "tail",
            "wc",
        ),
        *(
            "cp",
            "mv",
            "rm",
            "mkdir",
            "ln",
            "tar",
            "rsync",
            "scp",
            "git",
            "pip",
            "diff",
            "pgrep",
            "pkill",
            "which",
        ),
    }
)
"""Programs to whose arguments a script's name may belong without its being run."""
_STARTS_OTHERS = frozenset(
    {
        *("bash", "sh", "zsh", "env", "sudo", "nohup", "time", "exec", "eval", "source", "xargs", "timeout"),
        *("tmux", "screen", "parallel", "srun", "sbatch", "mpirun", "mpiexec", "numactl", "taskset", "nice"),
        *("stdbuf", "ionice", "chrt", "setsid", "watch", "strace", "gdb", "perf", "nsys", "ncu", "unbuffer"),
        *("make", "just", "docker", "ssh", "pdsh", "ray", "uv", "poetry", "pdm", "conda", "pixi"),
        *("singularity", "apptainer", "kubectl"),
    }
)
"""Programs that start others, of the project as well."""
_NAMES_SCRIPT = re.compile(r"\.(?:py|sh)\b|\bpython")
_SCRIPTS = re.compile(r"[\w./-]+\.py(?=[\s\"'])")
_MOST_SCRIPTS = 20
_FOLDER_AND_FILE = 2
"""How much of a path that leads to the project from elsewhere must be found in it."""
_INSTALLED = frozenset({"dist-packages", "site-packages"})
_IN_DIRECTORY = re.compile(r"\$(?:\{?\w+\}?|\(dirname [^()]*\))/((?:[\w.-]+/)*[\w.-]+\.py)")


def script_called(name: str, path: str, project: ProjectView) -> tuple[str, str] | None:
    """The path and the text of the project's script that a word without a suffix names.

    Args:
        name: As a command has it; seen from the directory of the file, or from that of the project.
        path: Where the command is.
    """
    if not may_have_head(name) or _NAME.fullmatch(name) is None:
        return None
    for directory in dict.fromkeys((posixpath.dirname(path), "")):
        place = posixpath.normpath(posixpath.join(directory, name))
        text = project.text_at(place) if not place.startswith("..") else None
        if text is not None and is_python(place, text):
            return place, text
    return installed_script(name, project)


def installed_script(name: str, project: ProjectView) -> tuple[str, str] | None:
    """The path and the text of the module for which the project installs a command."""
    for place in _PACKAGING:
        text = project.text_at(place)
        for command, module in _ENTRY.findall(text) if text is not None and name in text else ():
            if command == name:
                return project.find_module(place, module)
    return None


def program_in(command: Command, ctx: PlaceContext, path: str | None = None) -> int | None:
    """Where the script or module of Python is among the words of a command that starts one; each name is
    looked for in the project once.

    Args:
        path: Where the command is; ``None`` for the file that rules look at.
    """
    place = ctx.file.path if path is None else path

    def is_script(name: str) -> bool:
        found = ctx.once(("script", place, name), lambda: script_called(name, place, ctx.project))
        return found is not None

    def is_installed(name: str) -> bool:
        return ctx.once(("installed", name), lambda: installed_script(name, ctx.project)) is not None

    return program_of(command.words, is_script, is_installed)


def program_of(
    words: tuple[Word, ...],
    is_script: Callable[[str], bool] = lambda name: False,
    is_installed: Callable[[str], bool] = lambda name: False,
) -> int | None:
    """Where the script or module of Python is among the words of a command that starts one.

    Args:
        is_script: Whether a word without a suffix names a script of Python in the project.
        is_installed: Whether a word is a command that the project installs.
    """
    if not words or runs_nothing(words):
        return None
    is_python = False
    for index, word in enumerate(words):
        text = word.text if word.text is not None else word.raw.strip("\"'")
        if _runs_python(text):
            is_python = True
        elif not is_python:
            if index == 0 and _is_command(text, is_script, is_installed):
                return index
        elif text == "-c":
            return None
        elif text in ("-m", "--module"):
            if text == "-m" and _is_own_module(words, index + 1):
                return index + 1
        elif _SCRIPT.fullmatch(text) or is_script(text):
            return index
    return None


def _runs_python(command: str) -> bool:
    name = command.rpartition("/")[2]
    return name in _LAUNCHERS or _PYTHON.fullmatch(name) is not None


def _is_command(text: str, is_script: Callable[[str], bool], is_installed: Callable[[str], bool]) -> bool:
    """Whether the first word of a command is a program of the project: a script, or what it installs."""
    return _SCRIPT.fullmatch(text) is not None or ("/" in text and is_script(text)) or is_installed(text)


def _is_own_module(words: tuple[Word, ...], at: int) -> bool:
    """Whether a word names the module that runs, and not a launcher of one."""
    module = words[at].text if at < len(words) else None
    return bool(module) and not (module or "").startswith(_LAUNCHER_MODULES)


def runs_nothing(words: tuple[Word, ...]) -> bool:
    """Whether a command only prints, copies or searches what its arguments name."""
    return (words[0].text or "").rpartition("/")[2] in _RUNS_NOTHING


def is_of_others(words: tuple[Word, ...], project: ProjectView) -> bool:
    """Whether a command runs a program by a name that is not the project's, and names no script."""
    name = words[0].text if words else None
    if name is None or _NAME.fullmatch(name) is None or "/" in name or name in _STARTS_OTHERS | _LAUNCHERS:
        return False
    if any(_NAMES_SCRIPT.search(word.raw) is not None for word in words):
        return False
    return all(installed_script(word.text, project) is None for word in words if word.text)


def starts_served(text: str, project: ProjectView, path: str) -> bool:
    """Whether a launcher in Python names a program that serves the NPU, and none that does not.

    Args:
        path: Where the launcher is.
    """
    if not project.program.serves_npu:
        return False
    names = sorted(set(_SCRIPTS.findall(text)))[:_MOST_SCRIPTS]
    found = (python_at(Word(0, 0, name, name), project, path) for name in names)
    served = {
        project.program.served_program(program[0]) is not None for program in found if program is not None
    }
    return served == {True}


def python_of(words: tuple[Word, ...], project: ProjectView, path: str) -> tuple[str, str] | None:
    """The path and the text of the project's Python file that a command starts, and that can be found.

    Args:
        path: Where the command is.
    """
    at = program_of(
        words,
        lambda name: script_called(name, path, project) is not None,
        lambda name: installed_script(name, project) is not None,
    )
    return python_at(words[at], project, path) if at is not None else None


def python_at(word: Word, project: ProjectView, path: str) -> tuple[str, str] | None:
    """The path and the text of the project's Python file that a word names, the one at :func:`program_of`.

    Args:
        path: Where the command is.
    """
    text = word.text
    if text is None:
        inside = _IN_DIRECTORY.fullmatch(word.raw.strip("\"'"))
        text = inside[1] if inside is not None else None
    if not text or text.endswith(".pyw"):
        return None
    if not text.endswith(".py"):
        return (
            None
            if text.startswith("/")
            else script_called(text, path, project) or project.find_module(path, text)
        )
    parts = [part for part in text[: -len(".py")].split("/") if part not in (".", "..", "")]
    found = None if text.startswith("/") else _module_at(parts, project, path)
    is_elsewhere = text.startswith("../") or not _INSTALLED.isdisjoint(parts)  # no copy of it
    while found is None and not is_elsewhere and len(parts) > _FOLDER_AND_FILE:  # from outside the project
        del parts[0]
        found = _module_at(parts, project, path)
    return found


def _module_at(parts: list[str], project: ProjectView, path: str) -> tuple[str, str] | None:
    """The file itself, and not a package that may have something of its name."""
    found = None if any("." in part for part in parts) else project.find_module(path, ".".join(parts))
    return found if found is not None and found[0].endswith(f"{parts[-1]}.py") else None
