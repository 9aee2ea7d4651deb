"""Starts a migration in a separate process and is killed, for the tests of what it leaves.

``python -m tests.server.project.killed_while_migrating INPUT OUTPUT``; says MIGRATING once it writes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gpu2ascend.project.migrate.migration_process import MigrationProcess
from gpu2ascend.project.report.result import MigrationRequest, Phase, Progress
from tests.server.project.samples import OPTIONS


def tell(progress: Progress) -> None:
    """Tell once that the writing has begun."""
    if progress.phase is Phase.MIGRATE:
        print("MIGRATING", flush=True)


def main() -> None:
    """Migrate."""
    source, target = sys.argv[1:]
    request = MigrationRequest(input=Path(source), output=Path(target), options=OPTIONS, jobs=1)
    MigrationProcess(request).run(tell)


if __name__ == "__main__":
    main()
