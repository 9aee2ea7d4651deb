"""The package with the paths of a training on ModelArts: its files, and whether its place is free.

The same manager serves every target; what differs is the name of the package that it is put into.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path, PurePosixPath

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, option_name
from gpu2ascend_rules.targets.target import Target

from ...texts.shell import shell_word
from ..errors import InputError
from ..paths import exists, shown
from ..regular_files import read_regular

MAPPING = "path_mapping_config.py"
"""What the user fills in: it is never replaced."""
_FILES = ("__init__.py", "modelarts_path_manager.py", MAPPING)
_FIRST_LINE = b"# Written by gpu2ascend: paths of this project on ModelArts."
_MAX_BYTES = 1_000_000


def modelarts_files(target: Target) -> dict[str, str]:
    """The files of a target's package by their paths from the project's directory."""
    folder = files(__package__) / "templates" / "modelarts"
    above = [path.as_posix() for path in PurePosixPath(target.paths_folder).parents[:-1]]
    found = {f"{path}/__init__.py": f"{_FIRST_LINE.decode()}\n" for path in above}
    for name in _FILES:
        found[f"{target.paths_folder}/{name}"] = (folder / name).read_text(encoding="utf-8")
    return found


def mapping_instruction(directory: Path, target: Target) -> Message:
    """What a user must do for the paths of a migrated project to be found on ModelArts."""
    paths = {"mapping": f"{target.paths_folder}/{MAPPING}", "path": shell_word(directory)}
    return Message.of("project.modelarts-mapping", **paths)


def refuse_foreign_paths_package(root: Path, options: MigrationOptions) -> None:
    """Stop before any work if the project has a package or module of the name that ours must have.
    Raises InputError: it has."""
    if not options.modelarts:
        return
    top = options.route.paths_package.partition(".")[0]
    for place in (root / top, root / f"{top}.py"):
        if exists(place) and not is_of_paths_package(place / "__init__.py"):
            name = option_name("modelarts")
            raise InputError(Message.of("project.modelarts-taken", path=shown(place), option=name))


def is_of_paths_package(path: Path) -> bool:
    """Whether a file is in a package that an earlier migration wrote."""
    try:
        return read_regular(path.parent / "__init__.py", _MAX_BYTES).startswith(_FIRST_LINE)
    except OSError:
        return False
