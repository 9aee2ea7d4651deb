"""Each rank of a group needs an NPU of its own: HCCL makes no communicator of two ranks on one."""

from __future__ import annotations

import socket
import zlib
from typing import Any

import torch

from ..device import trace
from ..device.devices.visible import chosen_devices


class OwnDevices:
    """Compares the devices of the ranks, once for a group."""

    def __init__(self, gloo: Any, size: int) -> None:
        self._gloo = gloo
        self._size = size
        self._is_compared = size < 2

    def compare(self, device: Any) -> None:
        """Compare them before the first collective, in which all ranks take part.

        Raises:
            RuntimeError: two ranks of a host use the same device.
        """
        if self._is_compared:
            return
        self._is_compared = True
        mine = torch.tensor([zlib.crc32(socket.gethostname().encode()), _number(device.index)])
        places = [torch.empty_like(mine) for _ in range(self._size)]
        self._gloo.allgather([places], [mine]).wait()
        first: dict[tuple[int, ...], int] = {}
        for rank, place in enumerate(places):
            other = first.setdefault(tuple(place.tolist()), rank)
            if other != rank:
                number = int(place[1])
                trace.record_refusal("hccl-device", "hccl", f"npu:{number}")
                raise RuntimeError(
                    f"HCCL: ranks {other} and {rank} use the same device, NPU {number} of the host."
                )


def _number(index: int) -> int:
    """Which device of the host it is."""
    chosen = chosen_devices()
    return chosen[index] if chosen is not None and index < len(chosen) else index
