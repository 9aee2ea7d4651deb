"""Work in steps, in threads and in processes, of which a cancel ends whichever runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

from ...project.errors import CancelledError
from ...project.processes.threads import in_thread

_Result = TypeVar("_Result")


class Cancellable(Protocol):
    """What can be cancelled, before it has begun and after it has ended too."""

    def cancel(self) -> object:
        """End it."""


_Cancellable = TypeVar("_Cancellable", bound=Cancellable)


class CancellableWork:
    """One piece of work. Belongs to the event loop's thread."""

    def __init__(self) -> None:
        self._step: Cancellable | None = None
        self._is_cancelled = False

    def cancel(self) -> None:
        """End it, in whichever step it is."""
        self._is_cancelled = True
        if self._step is not None:
            self._step.cancel()

    def next(self, step: _Cancellable) -> _Cancellable:
        """What is to be ended by a cancel from now on; cancelled already if the work is."""
        self._step = step
        if self._is_cancelled:
            step.cancel()
        return step

    async def in_thread(self, work: Callable[[], _Result]) -> _Result:
        """The result of a step that runs in a thread, and that a cancel does not wait for.

        It goes on to its end then, so it must not write anything.

        Raises:
            CancelledError: the work was cancelled.
        """
        step = self.next(asyncio.ensure_future(in_thread(work)))
        try:
            return await step
        except asyncio.CancelledError as error:
            if self._is_cancelled:
                raise CancelledError from error
            raise  # the request was
