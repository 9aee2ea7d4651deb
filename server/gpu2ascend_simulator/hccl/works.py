"""Communication in flight: Gloo works on memory of the host, and the results go to the device at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import torch
from torch._C._distributed_c10d import Work

_NO_LIMIT = timedelta(0)


class Collective(Work):
    """A collective in flight."""

    def __init__(self, carried: Any, results: Sequence[Any], finish: Callable[[], None]) -> None:
        super().__init__()
        self._carried = carried
        self._results = list(results)
        index = results[0].device.index if results else 0
        self._future = torch.futures.Future(devices=[torch.device("npu", index)])
        self._finish = finish
        carried.get_future().add_done_callback(self._arrived)

    def _arrived(self, carried: Any) -> None:
        try:
            carried.value()
            self._finish()
        except Exception as error:
            self._future.set_exception(error)
        else:
            self._future.set_result(self._results)

    def wait(self, timeout: timedelta = _NO_LIMIT) -> bool:
        """Wait until the results are on the device.

        Raises:
            RuntimeError: the transfer failed, or time was up.
        """
        self._carried.wait(timeout)
        self._future.wait()
        return True

    def synchronize(self) -> None:
        """The same."""
        self.wait()

    def is_completed(self) -> bool:
        """Whether the results are on the device."""
        return bool(self._future.done())

    def is_success(self) -> bool:
        """Whether they are there without an error."""
        return self.is_completed() and self.exception() is None

    def exception(self) -> BaseException | None:
        """What went wrong."""
        try:
            self._future.value()
        except Exception as error:
            return error
        return None

    def result(self) -> list[Any]:
        """The tensors of the device that receive the results."""
        return self._results

    def get_future(self) -> Any:
        """A future with them."""
        return self._future


class PointToPoint(Work):
    """A message in flight. Gloo gives it no future, so that it arrives when somebody waits for it."""

    def __init__(self, carried: Any, host: Any, finish: Callable[[], None]) -> None:
        super().__init__()
        self._carried = carried
        self._host = host  # Gloo does not own what it sends.
        self._finish: Callable[[], None] | None = finish

    def wait(self, timeout: timedelta = _NO_LIMIT) -> bool:
        """Wait until the message is sent, or on the device.

        Raises:
            RuntimeError: the transfer failed, or time was up.
        """
        self._carried.wait(timeout)
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()
        return True

    def synchronize(self) -> None:
        """The same."""
        self.wait()

    def is_completed(self) -> bool:
        """Whether the transfer is done."""
        return bool(self._carried.is_completed())
