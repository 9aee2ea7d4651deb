"""The files that a migration adds to a project, as the options ask for them and as the project needs them.

Written into the output while it is being built. A file of the project that has such a name stays.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.choices import MindsporeApi
from gpu2ascend_rules.options.options import MigrationOptions, option_name

from ..adapters.modelarts import is_of_paths_package, modelarts_files
from ..entries.chosen import entry_script
from ..errors import writing
from ..launchers.environment import FIRST_LINE, USUAL_NAME, EnvironmentFile, Need, environment_file, names
from ..launchers.scripts import LaunchFile, launch_files, msrun_files
from ..regular_files import read_regular

_PLAIN = 0o644
_MAX_BYTES = 100_000
_NEEDS = {Need.VISIBLE_DEVICES: ("NPU901", "NPU902", "NPU1001"), Need.COLLECTIVES: ("NPU4",)}
"""The rules, by the beginnings of their codes, whose findings show a need."""


class AddedFiles(NamedTuple):
    """What became of the files."""

    names: tuple[str, ...]
    """Of those that were written."""
    notices: tuple[Message, ...]
    """What the user should know of them."""
    environment: str | None = None
    """The name of the script that sets the environment."""


def needs_of(codes: Iterable[str], options: MigrationOptions) -> frozenset[Need]:
    """What a project needs in which rules with these codes found something."""
    found = tuple(codes)
    shown = {need for need, starts in _NEEDS.items() if any(code.startswith(starts) for code in found)}
    return frozenset(shown | ({Need.COLLECTIVES} if options.distributed else set()))


def added_files(
    root: Path, options: MigrationOptions, environment: EnvironmentFile | None, language: str = "en"
) -> Iterator[LaunchFile]:
    """The files for a project's top directory; what scripts print is in a language."""
    made = []
    if options.distributed:
        entry = entry_script(root, options.main_script)
        if options.route.starts_by_msrun:
            made = msrun_files(entry, language)
        else:
            made = launch_files(entry, options.launcher, options.nnodes, environment, language)
    yield from made
    if options.modelarts:
        yield from (LaunchFile(name, text, _PLAIN) for name, text in modelarts_files(options.route).items())
    if environment is not None and environment.name not in {file.name for file in made}:
        yield LaunchFile(*environment, _PLAIN)


def environment_for(root: Path, needs: Iterable[Need]) -> EnvironmentFile:
    """The script that sets the environment, under a name that the project does not use itself."""
    free = (name for name in names() if not os.path.lexists(root / name) or is_ours(root / name))
    return environment_file(next(free, USUAL_NAME), needs)


def is_ours(path: Path) -> bool:
    """Whether a file is such a script, or of such a package, that an earlier migration wrote."""
    if is_of_paths_package(path):
        return True
    try:
        return read_regular(path, _MAX_BYTES).startswith(FIRST_LINE.encode())
    except OSError:
        return False


def write_added_files(
    root: Path,
    directory: Path,
    options: MigrationOptions,
    environment: EnvironmentFile | None,
    language: str = "en",
) -> AddedFiles:
    """Write the files into the output. Raises OutputError: one cannot be written."""
    notices: list[Message] = []
    written: list[str] = []
    if environment is not None and environment.name != USUAL_NAME:
        notices.append(Message.of("project.environment-renamed", usual=USUAL_NAME, name=environment.name))
    for file in added_files(root, options, environment, language):
        path = directory / file.name
        if os.path.lexists(path):
            if not is_ours(path):
                notices.append(Message.of("project.added-file-kept", name=file.name))
            continue
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            path.write_text(file.text, encoding="utf-8", newline="\n")
            path.chmod(file.mode)
        written.append(file.name)
    name = environment.name if environment is not None else None
    return AddedFiles(tuple(written), tuple(notices), name)


def limits_of(options: MigrationOptions) -> Iterator[Message]:
    """What the user should know of the code that options ask for, and nothing here can examine."""
    if options.graph:
        yield Message.of("project.graph-limits", option=option_name("graph"))
    if options.mindspore_api is MindsporeApi.MINT:
        yield Message.of("project.mint-unchecked", option=option_name("mindspore_api"))
