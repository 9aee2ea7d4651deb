"""Backward passes run in the thread that asks for them.

The guard that Python can give a backend knows one device, so torch's engine has a thread for the first
one only.
"""

from __future__ import annotations

import functools
from typing import Any

import torch


def install() -> None:
    """Changes the function by which everything enters the engine."""
    original = torch.autograd.graph._engine_run_backward

    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        with torch.autograd.set_multithreading_enabled(False):
            return original(*args, **kwargs)

    torch.autograd.graph._engine_run_backward = run
    torch.autograd._engine_run_backward = run
