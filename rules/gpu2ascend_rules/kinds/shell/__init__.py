"""Shell scripts, also those that a scheduler starts."""

from __future__ import annotations

import re

from ..kind import Kind
from .places import SHELL_NEEDS, SHELL_PLACES
from .script import ShellFile
from .words import SCRIPT_SUFFIXES

_SHEBANG = re.compile(r"#!\s*(?:/usr)?/bin/(?:env\s+(?:-S\s+)?)?(?:ba|da|k|z)?sh\b")


_COMMANDS = re.compile(
    r"(?:[ \t]*(?:#(?!!)[^\n]*)?\n)*(?:[A-Z_][A-Z0-9_]*=\S*[ \t]+)*"
    r"(?:python3?|torchrun|deepspeed|accelerate[ \t]+launch|sbatch|srun)[ \t]+(?:--?\w|[\w./-]+\.(?:py|sh)\b)"
)
"""A list of commands, which starts with one that runs a program of the project."""


def _is_shell(head: str) -> bool:
    return any(pattern.match(head) is not None for pattern in (_SHEBANG, _COMMANDS))


KIND = Kind(
    name="shell",
    file=ShellFile,
    places=SHELL_PLACES,
    needs=SHELL_NEEDS,
    patterns=tuple(f"*{suffix}" for suffix in SCRIPT_SUFFIXES),
    languages=("shellscript",),
    claims=_is_shell,
)
