"""Migrate a project: read a tree, apply every safe fix, write the tree and its reports.

What a front end needs::

    request = MigrationRequest(input=Path("proj"), output=Path("out"), options=options)
    result = migrate(request, progress=show, cancelled=lambda: False, on_file=print_diff)
    result.output_path, result.summary, result.notices, result.exit_code

``ProjectError`` (``.message`` is a ``Message`` to render) means that nothing was written: exit with 2.
``KeyboardInterrupt`` may be raised at any moment; the workers are ended and nothing is left behind by the
time it reaches the caller.
"""

from __future__ import annotations

from collections.abc import Callable

from .result import FileOutcome, MigrationRequest, MigrationResult, Progress


def migrate(
    request: MigrationRequest,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    on_file: Callable[[FileOutcome], None] | None = None,
) -> MigrationResult:
    """Carry out a request.

    Args:
        progress: Called after every file.
        cancelled: Asked between files; once it is true the migration ends and leaves nothing behind.
        on_file: Called, in the order of the files' names, for each file that was changed, that has
            findings left or kernels, or that could not be examined. With ``request.write`` false its
            outcome carries the diff.

    Raises:
        ProjectError: the request cannot be carried out, or was cancelled; nothing was written.
    """
    raise NotImplementedError
