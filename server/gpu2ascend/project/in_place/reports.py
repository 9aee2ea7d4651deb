"""What a migration writes beside the code, for a project whose files are fixed in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions

from ..errors import OutputError, writing
from ..files.places import input_directory
from ..files.writing.replacing import put_file
from ..leftovers import scratch_folder
from ..manifest.marker import FOLDER_NAME, MARKER_NAME, ORDERS_NAME, marker_bytes, read_marker
from ..migrate.migrate import migrate
from ..paths import is_directory, join, shown
from ..regular_files import read_regular
from ..report.result import MigrationRequest, MigrationResult, Progress


@contextmanager
def reports_aside(
    project: Path,
    options: MigrationOptions,
    jobs: int = 0,
    language: str = "en",
    progress: Callable[[Progress], None] | None = None,
) -> Iterator[Callable[[], tuple[str, ...]]]:
    """Make the reports of a migration while the files are as they were; they are fixed meanwhile.

    Yields:
        What puts the reports into the project, the script for the environment and the marker, too, and
        gives the names of the reports. Earlier ones go; a file of the project keeps its name.

    Raises:
        ProjectError: the project cannot be migrated, or a migration wrote it, whose reports would go.
    """
    root = input_directory(project)
    marker = read_marker(root)
    if marker is not None and marker.list_digest is not None:
        raise OutputError(Message.of("project.reports-of-migration", path=shown(project)))
    with scratch_folder() as folder:
        request = MigrationRequest(
            input=root,
            output=folder,
            place=root,
            options=options,
            keeps_base=False,
            jobs=jobs,
            language=language,
        )
        result = migrate(request, progress=progress)
        yield lambda: _put(result, root)


def _put(result: MigrationResult, root: Path) -> tuple[str, ...]:
    made = result.output_path
    marker = read_marker(made) if made is not None else None
    if made is None or marker is None:
        raise RuntimeError("a migration that wrote nothing")
    folder = root / FOLDER_NAME
    beside = (result.environment,) if result.environment is not None else ()
    with writing(root):
        if not is_directory(folder) or folder.is_symlink():
            folder.mkdir()
        for name in (*result.reports, *beside, ORDERS_NAME):
            put_file(root / name, read_regular(join(str(made), name)))
        # Without a list of what was written, nothing here is ever taken for an output that may be replaced.
        put_file(root / MARKER_NAME, marker_bytes(marker._replace(list_digest=None)))
    return result.reports
