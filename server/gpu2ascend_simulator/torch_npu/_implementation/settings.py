"""Switches that change speed or rounding on the real device and nothing here, besides their value."""

from __future__ import annotations

from typing import Any

__all__ = ["config", "conv", "get_sync_debug_mode", "matmul", "set_compile_mode", "set_sync_debug_mode"]


class _Switches:
    """Attributes with defaults; a name that does not exist cannot be set."""

    def __init__(self, **defaults: Any) -> None:
        self.__dict__.update(defaults)

    def __setattr__(self, name: Any, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"no switch '{name}'")
        self.__dict__[name] = value


matmul = _Switches(allow_hf32=False, cube_math_type=-1)
conv = _Switches(allow_hf32=True, cube_math_type=-1)
config = _Switches(allow_internal_format=True)

_compile_mode = {"jit_compile": False}
_sync_debug_mode = 0


def set_compile_mode(jit_compile: bool = False) -> None:
    """Whether operators are compiled for each shape."""
    _compile_mode["jit_compile"] = jit_compile


def set_sync_debug_mode(debug_mode: Any) -> None:
    """Whether hidden synchronisation warns or fails."""
    global _sync_debug_mode
    modes = {"default": 0, "warn": 1, "error": 2}
    _sync_debug_mode = modes[debug_mode] if isinstance(debug_mode, str) else int(debug_mode)


def get_sync_debug_mode() -> Any:
    """What was set."""
    return _sync_debug_mode
