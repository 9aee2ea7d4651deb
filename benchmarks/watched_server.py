"""``gpu2ascend lsp`` with an eye on its event loop; the last argument is the file for what was seen.

Every callback of the loop is timed in processor time of its thread, so that other programs do not count. A
ticker notes how late it wakes by the clock: that also shows a thread that holds the interpreter lock, and a
busy machine. Both count from the answer to ``initialize`` on: before it there is nothing that could wait.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import sys
import time
from pathlib import Path
from typing import Any

from gpu2ascend.__main__ import main

TICK = 0.005
_LOADED_AFTERWARDS = "gpu2ascend.lsp.features"
"""Imported once ``initialize`` is answered."""

_longest = [0.0]
_late: list[float] = []
_run = asyncio.Handle._run
_run_forever = asyncio.BaseEventLoop.run_forever


def _timed_run(handle: asyncio.Handle) -> None:
    is_initialized = _LOADED_AFTERWARDS in sys.modules
    start = time.thread_time()
    _run(handle)
    if is_initialized:
        _longest.append(time.thread_time() - start)
    if len(_longest) > 10_000:
        _longest[:] = sorted(_longest)[-1000:]


def _watched_forever(loop: Any) -> None:
    def tick(due: float) -> None:
        now = time.perf_counter()
        if _LOADED_AFTERWARDS in sys.modules:
            _late.append(now - due)
        loop.call_later(TICK, tick, now + TICK)

    loop.call_later(TICK, tick, time.perf_counter() + TICK)
    _run_forever(loop)


def _report(path: Path) -> None:
    late = sorted(_late)
    seen = {"longest_callback": max(_longest), "late": late}
    path.write_text(json.dumps(seen), encoding="ascii")


if __name__ == "__main__":
    asyncio.Handle._run = _timed_run  # type: ignore[method-assign]
    asyncio.BaseEventLoop.run_forever = _watched_forever  # type: ignore[method-assign,assignment]
    atexit.register(_report, Path(sys.argv.pop()))
    sys.exit(main(["lsp"]))
