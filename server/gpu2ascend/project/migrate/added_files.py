"""The files that a migration adds to a project, as the options ask for them.

Written into the output while it is being built. A file of the project that has such a name stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions

from ..errors import writing
from ..launchers.scripts import LaunchFile, launch_files
from ..paths import exists
from .codemods import entry_script


def added_files(root: Path, options: MigrationOptions) -> Iterable[LaunchFile]:
    """The files for a project's top directory."""
    if options.distributed:
        yield from launch_files(entry_script(root, options.main_file), options.launcher, options.nnodes)


def write_added_files(root: Path, directory: Path, options: MigrationOptions) -> tuple[Message, ...]:
    """Write the files into the output; the notices about them are returned.

    Raises:
        OutputError: one cannot be written.
    """
    notices: list[Message] = []
    for file in added_files(root, options):
        path = directory / file.name
        if exists(path):
            notices.append(Message.of("project.received-kept", name=file.name))
            continue
        with writing(path):
            path.write_text(file.text, encoding="utf-8", newline="\n")
            path.chmod(file.mode)
    return tuple(notices)
