"""Environment modules of CUDA that scripts and configurations of clusters load."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .places import Command, Word

_LOADS = re.compile(r"(?:module\s+(?:load|add|swap|switch)|ml)\s+([^;&|]+)")
_PARTS_OF_NAME = re.compile(r"[\w.+/-]+")
_OF_CUDA = re.compile(r"(?:cuda|cudnn|nccl|nvhpc|cudatoolkit)(?:[-_].*)?", re.I)


def cuda_modules(command: Command) -> Iterator[Word]:
    """The modules of CUDA that a command loads."""
    names = command.words[1:]
    if command.program == "module" and names and names[0].text in ("load", "add", "swap", "switch"):
        names = names[1:]
    elif command.program != "ml":
        return
    for word in names:
        if _is_of_cuda(word.text or word.raw.partition("$")[0].rstrip("/{")):
            yield word


def cuda_modules_in(text: str) -> Iterator[str]:
    """The same of a command in a configuration."""
    loads = _LOADS.fullmatch(text)
    yield from (item for item in (loads[1].split() if loads is not None else ()) if _is_of_cuda(item))


def _is_of_cuda(module: str) -> bool:
    """Whether a part of the path that names a module is CUDA's: ``devel/cuda/12.4``, ``cudnn-9``."""
    is_name = _PARTS_OF_NAME.fullmatch(module) is not None
    return is_name and any(_OF_CUDA.fullmatch(part) for part in module.split("/"))
