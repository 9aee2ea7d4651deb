"""The language server, in which nothing is done in the background before a file exists.

``python -m tests.lsp.gated_server GATE``
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gpu2ascend.cli.app import run
from gpu2ascend.lsp.session.worker import Worker

_Result = TypeVar("_Result")
_in_background = Worker.in_background
GATE = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()


async def _gated(self: Worker, work: Callable[[], _Result]) -> _Result | None:
    while not GATE.exists():
        await asyncio.sleep(0.02)
    return await _in_background(self, work)


if __name__ == "__main__":
    Worker.in_background = _gated  # type: ignore[method-assign, assignment]
    sys.exit(run(["lsp"]))
