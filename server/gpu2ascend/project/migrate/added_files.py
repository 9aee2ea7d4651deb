"""The files that a migration adds to a project, as the options ask for them.

WrittenFile into the output while it is being built. A file of the project that has such a name stays.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions

from ..errors import writing
from ..launchers.scripts import LaunchFile, launch_files
from .codemods import entry_script


class AddedFiles(NamedTuple):
    """What became of the files."""

    names: tuple[str, ...]
    """Of those that were written."""
    notices: tuple[Message, ...]
    """What the user should know of them."""


def added_files(root: Path, options: MigrationOptions) -> Iterable[LaunchFile]:
    """The files for a project's top directory."""
    if options.distributed:
        yield from launch_files(entry_script(root, options.main_file), options.launcher, options.nnodes)


def write_added_files(root: Path, directory: Path, options: MigrationOptions) -> AddedFiles:
    """Write the files into the output.

    Raises:
        OutputError: one cannot be written.
    """
    notices: list[Message] = []
    names: list[str] = []
    for file in added_files(root, options):
        path = directory / file.name
        if os.path.lexists(path):
            notices.append(Message.of("project.added-file-kept", name=file.name))
            continue
        with writing(path):
            path.write_text(file.text, encoding="utf-8", newline="\n")
            path.chmod(file.mode)
        names.append(file.name)
    return AddedFiles(tuple(names), tuple(notices))
