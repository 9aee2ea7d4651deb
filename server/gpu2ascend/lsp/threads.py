"""Waiting for what blocks, without blocking the event loop or the end of the program."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

_Result = TypeVar("_Result")


async def in_thread(work: Callable[[], _Result]) -> _Result:
    """The result of ``work``, which runs in a thread of its own.

    The thread is a daemon: the pools of the standard library are waited for when the program ends, and a
    thread that waits for a process would keep it from ending.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Result] = loop.create_future()

    def settle(result: _Result | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except BaseException as error:
            failure = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, daemon=True).start()
    return await future
