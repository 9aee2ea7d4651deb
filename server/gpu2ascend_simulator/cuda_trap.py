"""``torch.cuda`` in the files of a project raises; libraries may ask it what they like.

On a machine with NPUs nothing of it works, and what only asks (``torch.cuda.is_available()``) leads a project
to the CPU without a word. Mixed precision for CUDA raises as well: torch would switch it off, and warn. Lines
in which that is intended, such as a branch for machines with GPUs, are named to the trap: they get the
answers of a torch without CUDA, as on the NPU.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

_INSTALLED = ("site-packages", "dist-packages")


class CudaUsedError(RuntimeError):
    """A file of the project uses ``torch.cuda``."""


class _Trap(ModuleType):
    """The class of the module ``torch.cuda`` while a project is looked at."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("__"):
            module = super().__getattribute__("__name__")
            _refuse(sys._getframe(1), f"{module}.{name}")
        return super().__getattribute__(name)


_roots: list[str] = []
_kept: dict[str, frozenset[int]] = {}


def set_trap(root: Path, kept: Mapping[str, Iterable[int]] | None = None) -> None:
    """Have every use of ``torch.cuda`` in the files below a directory raise, once for a process and for good.

    Packages that are installed below it (an environment in the project) are libraries.

    Args:
        root: the directory.
        kept: lines that may ask, by path relative to it with ``/``.

    Raises:
        CudaUsedError: from then on, at each such use, with the file and the line.
    """
    top = root.resolve()
    _roots.append(f"{top}{os.sep}")
    _is_of_project.cache_clear()
    _kept.update({str(top / path): frozenset(lines) for path, lines in (kept or {}).items()})
    for name, module in list(sys.modules.items()):
        if name == "torch.cuda" or name.startswith("torch.cuda."):
            module.__class__ = _Trap
    _watch_amp(sys.modules["torch"].amp)


def lift_trap() -> None:
    """Let ``torch.cuda`` be used again: a project that imports transfer_to_npu means the NPU by it."""
    _roots.clear()
    _is_of_project.cache_clear()
    for module in list(sys.modules.values()):
        if type(module) is _Trap:
            object.__setattr__(module, "__class__", ModuleType)


def _watch_amp(amp: Any) -> None:
    _watch(amp.autocast_mode.autocast, "torch.autocast", "device_type", 2)
    if hasattr(amp, "GradScaler"):
        _watch(amp.GradScaler, "torch.amp.GradScaler", "device", 5)


def _watch(owner: Any, name: str, parameter: str, place_of_enabled: int) -> None:
    """Have a class refuse to be made for CUDA; without a word it is for CUDA, too."""
    begin = owner.__init__

    @functools.wraps(begin)
    def refuse_cuda(self: Any, *args: Any, **kwargs: Any) -> None:
        device = args[0] if args else kwargs.get(parameter, "cuda")
        rest = args[place_of_enabled:]
        if str(device).partition(":")[0] == "cuda" and (rest[0] if rest else kwargs.get("enabled", True)):
            _refuse(sys._getframe(1), f'{name}("cuda")')
        begin(self, *args, **kwargs)

    owner.__init__ = refuse_cuda


def _refuse(frame: FrameType | None, name: str) -> None:
    if frame is None or not _is_of_project(frame.f_code.co_filename):
        return
    path, line = frame.f_code.co_filename, frame.f_lineno
    if line not in _kept.get(os.path.realpath(path), ()):
        raise CudaUsedError(f"{path}:{line}: {name} is used, which there is not on an NPU")


@functools.cache
def _is_of_project(path: str) -> bool:
    if path.startswith("<"):
        return False
    real = os.path.realpath(path)
    return real.startswith(tuple(_roots)) and not any(part in _INSTALLED for part in Path(real).parts)
