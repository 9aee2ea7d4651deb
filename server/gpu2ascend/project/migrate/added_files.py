"""The files that a migrated project receives beside its own, as its options ask for them.

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


def received_files(root: Path, options: MigrationOptions) -> Iterable[LaunchFile]:
    """The files for a project's top directory."""
    if options.distributed:
        yield from launch_files(entry_script(root, options.main_file), options.launcher, options.nnodes)


def add_received_files(root: Path, directory: Path, options: MigrationOptions) -> tuple[Message, ...]:
    """Put the files into the output; what the user should know of them comes back.

    Raises:
        OutputError: one cannot be written.
    """
    notices: list[Message] = []
    for file in received_files(root, options):
        path = directory / file.name
        if exists(path):
            notices.append(Message.of("project.received-kept", name=file.name))
            continue
        with writing(path):
            path.write_text(file.text, encoding="utf-8", newline="\n")
            path.chmod(file.mode)
    return tuple(notices)
