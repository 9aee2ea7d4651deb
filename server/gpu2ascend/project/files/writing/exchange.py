"""Exchanges two directories in one step, so that each name always leads to one of them."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

_HERE, _EXCHANGE = -100, 2
"""``AT_FDCWD``, and ``RENAME_EXCHANGE`` of Linux, which is ``RENAME_SWAP`` of macOS."""
_UNKNOWN = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})


def exchanged(one: Path, other: Path) -> bool:
    """Exchange two directories; False where the system or the file system cannot.
    Raises OSError: the system refuses."""
    exchange = _of_system()
    if exchange is None:
        return False
    code = exchange(os.fsencode(one), os.fsencode(other))
    if code in _UNKNOWN:
        return False
    if code:
        raise OSError(code, os.strerror(code), str(one))
    return True


def _of_system() -> Callable[[bytes, bytes], int] | None:
    """Gives the number of an error, or 0."""
    if os.name != "posix":
        return None
    import ctypes  # slow to load, and needed once

    library = ctypes.CDLL(None, use_errno=True)
    linux: Any = getattr(library, "renameat2", None)
    macos: Any = getattr(library, "renamex_np", None)

    def exchange(one: bytes, other: bytes) -> int:
        if linux is not None:
            failed = linux(_HERE, one, _HERE, other, _EXCHANGE)
        else:
            failed = macos(one, other, _EXCHANGE)
        return ctypes.get_errno() if failed else 0

    return exchange if linux is not None or macos is not None else None
