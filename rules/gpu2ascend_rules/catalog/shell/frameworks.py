"""Whether a script is about another framework than PyTorch, and which of the project's programs it starts."""

from __future__ import annotations

import re

from ...engine.places.context import PlaceContext
from ...kinds.shell.places import Command, Word

_FOREIGN_MODULE = re.compile(r"(?:paddle|tensorflow|jax|mxnet|mindspore|oneflow)(?:\.|$)")
_IMPORT = r"^[ \t]*(?:import|from)[ \t]+(?:{})\b"
_IMPORTS_FOREIGN = re.compile(_IMPORT.format("paddle|tensorflow|jax|mxnet|mindspore|oneflow"), re.M)
_IMPORTS_TORCH = re.compile(_IMPORT.format("torch|transformers|pytorch_lightning|lightning"), re.M)
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
_IN_DIRECTORY = re.compile(r"\$\{?\w+\}?/((?:[\w.-]+/)*[\w.-]+\.py)")


def program_of(words: tuple[Word, ...]) -> int | None:
    """Where the script or module of Python stands among the words of a command that starts one."""
    if (words[0].text or "").rpartition("/")[2] in _RUNS_NOTHING:
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


def python_of(words: tuple[Word, ...], ctx: PlaceContext) -> tuple[str, str] | None:
    """The path and the text of the project's Python file that a command starts, and that can be found."""
    at = program_of(words)
    if at is None:
        return None
    word = words[at]
    text = word.text
    if text is None:
        inside = _IN_DIRECTORY.fullmatch(word.raw.strip("\"'"))
        text = inside[1] if inside is not None else None
    if not text or text.startswith("/"):
        return None
    if not text.endswith(".py"):
        return ctx.project.find_module(ctx.file.path, text)
    parts = [part for part in text[: -len(".py")].split("/") if part not in (".", "..", "")]
    if any("." in part for part in parts):
        return None
    return ctx.project.find_module(ctx.file.path, ".".join(parts))


def is_of_another_framework(ctx: PlaceContext) -> bool:
    """Whether the file starts programs of another framework, and none of PyTorch."""
    return ctx.once("is of another framework", lambda: _is_foreign(ctx))


def _is_foreign(ctx: PlaceContext) -> bool:
    commands = [place for place in ctx.file.places() if isinstance(place, Command)]
    is_foreign = False
    for command in commands:
        for before, word in zip(command.words, command.words[1:], strict=False):
            if before.text == "-m" and _FOREIGN_MODULE.match(word.text or ""):
                is_foreign = True
            if before.text == "-m" and (word.text or "").startswith("torch."):
                return False
        if command.program == "torchrun":
            return False
        found = python_of(command.words, ctx)
        if found is not None:
            if _IMPORTS_TORCH.search(found[1]):
                return False
            is_foreign = is_foreign or _IMPORTS_FOREIGN.search(found[1]) is not None
    return is_foreign
