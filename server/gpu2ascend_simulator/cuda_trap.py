"""``torch.cuda`` in the files of a project raises; libraries may ask it what they like.

On a machine with NPUs nothing of it works, and what only asks (``torch.cuda.is_available()``) leads a project
to the CPU without a word.
"""

from __future__ import annotations

import sys
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


def set_trap(root: Path) -> None:
    """Have every use of ``torch.cuda`` in the files below a directory raise, once for a process and for good.

    Packages that are installed below it (an environment in the project) are libraries.

    Raises:
        CudaUsedError: from then on, at each such use, with the file and the line.
    """
    _roots.append(f"{root.resolve()}/")
    for name, module in list(sys.modules.items()):
        if name == "torch.cuda" or name.startswith("torch.cuda."):
            module.__class__ = _Trap


def lift_trap() -> None:
    """Let ``torch.cuda`` be used again: a project that imports transfer_to_npu means the NPU by it."""
    for module in list(sys.modules.values()):
        if type(module) is _Trap:
            object.__setattr__(module, "__class__", ModuleType)


def _refuse(frame: FrameType | None, name: str) -> None:
    if frame is None:
        return
    path = frame.f_code.co_filename
    if path.startswith(tuple(_roots)) and not any(part in _INSTALLED for part in Path(path).parts):
        raise CudaUsedError(f"{path}:{frame.f_lineno}: {name} is used, which there is not on an NPU")
