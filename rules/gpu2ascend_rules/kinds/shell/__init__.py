"""Shell scripts, also those that a scheduler starts."""

from __future__ import annotations

import re

from ..kind import Kind
from .places import SHELL_NEEDS, SHELL_PLACES
from .script import ShellFile

_SHEBANG = re.compile(r"#!\s*(?:/usr)?/bin/(?:env\s+(?:-S\s+)?)?(?:ba|da|k|z)?sh\b")


def _is_shell(first_line: str) -> bool:
    return _SHEBANG.match(first_line) is not None


KIND = Kind(
    name="shell",
    file=ShellFile,
    places=SHELL_PLACES,
    needs=SHELL_NEEDS,
    patterns=("*.sh", "*.bash", "*.zsh", "*.ksh", "*.sbatch", "*.slurm", "*.slrm"),
    languages=("shellscript",),
    claims=_is_shell,
)
