"""Which of the project's programs a command starts."""

from __future__ import annotations

import re

from ...kinds.shell.places import Word
from ...model.project_view import ProjectView

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
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
_SCRIPTS = re.compile(r"[\w./-]+\.py(?=[\s\"'])")
_MOST_SCRIPTS = 20
_IN_DIRECTORY = re.compile(r"\$\{?\w+\}?/((?:[\w.-]+/)*[\w.-]+\.py)")


def program_of(words: tuple[Word, ...]) -> int | None:
    """Where the script or module of Python stands among the words of a command that starts one."""
    if not words or (words[0].text or "").rpartition("/")[2] in _RUNS_NOTHING:
        return None
    is_python = False
    for index, word in enumerate(words):
        text = word.text if word.text is not None else word.raw.strip("\"'")
        name = text.rpartition("/")[2]
        if _PYTHON.fullmatch(name) or name in _LAUNCHERS:
            is_python = True
        elif is_python and text == "-c":
            return None
        elif is_python and text in ("-m", "--module") and index + 1 < len(words):
            module = words[index + 1].text or ""
            if text == "-m" and module and not module.startswith(_LAUNCHER_MODULES):
                return index + 1
        elif text.endswith(".py") and not text.startswith("-") and (is_python or index == 0):
            return index
    return None


def starts_served(text: str, project: ProjectView, path: str) -> bool:
    """Whether a launcher in Python names a program that serves the NPU, and none that does not.

    Args:
        path: Where the launcher is.
    """
    if not project.serves_npu:
        return False
    names = sorted(set(_SCRIPTS.findall(text)))[:_MOST_SCRIPTS]
    found = (python_at(Word(0, 0, name, name), project, path) for name in names)
    served = {project.served_program(program[0]) is not None for program in found if program is not None}
    return served == {True}


def python_of(words: tuple[Word, ...], project: ProjectView, path: str) -> tuple[str, str] | None:
    """The path and the text of the project's Python file that a command starts, and that can be found.

    Args:
        path: Where the command stands.
    """
    at = program_of(words)
    return python_at(words[at], project, path) if at is not None else None


def python_at(word: Word, project: ProjectView, path: str) -> tuple[str, str] | None:
    """The path and the text of the project's Python file that a word names, the one at :func:`program_of`.

    Args:
        path: Where the command stands.
    """
    text = word.text
    if text is None:
        inside = _IN_DIRECTORY.fullmatch(word.raw.strip("\"'"))
        text = inside[1] if inside is not None else None
    if not text or text.startswith("/"):
        return None
    if not text.endswith(".py"):
        return project.find_module(path, text)
    parts = [part for part in text[: -len(".py")].split("/") if part not in (".", "..", "")]
    if any("." in part for part in parts):
        return None
    return project.find_module(path, ".".join(parts))
