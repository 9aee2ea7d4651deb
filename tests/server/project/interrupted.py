"""Migrates in a separate process, for the tests that interrupt it.

``python -m tests.server.project.interrupted INPUT OUTPUT JOBS``; says READY before it begins, and ends
with 3 when it was interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gpu2ascend.project.index import survey
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from tests.server.project.samples import OPTIONS


def main() -> int:
    """Migrate, and tell whether it was interrupted."""
    source, target, jobs = sys.argv[1:]
    survey._WORTH_A_WORKER = 1
    request = MigrationRequest(input=Path(source), output=Path(target), options=OPTIONS, jobs=int(jobs))
    try:
        print("READY", flush=True)
        migrate(request)
        print("DONE", flush=True)
    except KeyboardInterrupt:
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
