"""The state of a generator as the device has it: sixteen bytes, a seed and an offset.

Programs change the offset, so that the shards of one tensor draw different numbers. The generator behind it
has a longer state: it is kept under its seed and offset, and one that nobody has asked for is made from both.
"""

from __future__ import annotations

import hashlib
import struct
from collections import OrderedDict
from typing import Any

import torch

_FORM = "<Qq"
SIZE = struct.calcsize(_FORM)
_REMEMBERED = 1024
"""States that can be returned to exactly; of older ones only seed and offset count."""
_SEEDS = 1 << 64
_remembered: OrderedDict[bytes, Any] = OrderedDict()


def state_of(generator: Any) -> Any:
    """The state, as bytes on the CPU. Equal ones draw the same numbers."""
    inner = torch._C.Generator.get_state(generator)
    digest = hashlib.blake2b(bytes(inner.tolist()), digest_size=6).digest()
    offset = int.from_bytes(digest, "little") & ~3  # offsets are multiples of four
    packed = struct.pack(_FORM, generator.initial_seed() % _SEEDS, offset)
    _remembered[packed] = inner
    _remembered.move_to_end(packed)
    if len(_remembered) > _REMEMBERED:
        _remembered.popitem(last=False)
    return torch.frombuffer(bytearray(packed), dtype=torch.uint8)


def put_state(generator: Any, state: Any) -> None:
    """Have a generator go on from a state.

    Raises:
        RuntimeError: the state is not one of the device.
    """
    packed = bytes(state.tolist()) if state.dtype == torch.uint8 else b""
    if len(packed) != SIZE:
        raise RuntimeError("RNG state is wrong size")
    inner = _remembered.get(packed)
    if inner is None:
        made = hashlib.blake2b(packed, digest_size=8).digest()
        generator.manual_seed(int.from_bytes(made, "little") >> 1)
    else:
        torch._C.Generator.set_state(generator, inner)
