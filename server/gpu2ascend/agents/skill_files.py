"""The skill for coding agents, which comes with the package, copied to where agents look for skills."""

from __future__ import annotations

import shutil
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ..project.errors import OutputError, writing
from ..project.paths import shown

NAME = "gpu2ascend"


def skill_directory() -> Path:
    """Where the skill lies: in the package, or in a checkout beside it."""
    packaged = Path(__file__).with_name("skill")
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "skills" / NAME


def copy_skill(directory: Path) -> Path:
    """Copy the skill into a directory of skills; gives its new place.
    Raises OutputError: there is one already, or it cannot be written."""
    target = directory / NAME
    if target.exists() or target.is_symlink():
        raise OutputError(Message.of("cli.mcp.skill-exists", path=shown(target)))
    with writing(target):
        shutil.copytree(skill_directory(), target)
    return target
