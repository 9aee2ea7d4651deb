"""Replaces what transfer_to_npu of a release replaces, for good."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable
from typing import Any

import torch

from ..cuda_trap import lift_trap
from . import makers
from .arguments import with_backend, with_device, with_device_and_backend
from .cuda_names import copy_names
from .table import Patched, patched_by


def _never(*args: Any, **kwargs: Any) -> bool:
    return False


_HOW: dict[str, Callable[[Any], Any]] = {
    "device": with_device,
    "backend": with_backend,
    "both": with_device_and_backend,
    "generator": makers.generator,
    "event": makers.event,
    "new": lambda function: staticmethod(with_device(function)),
    "never": lambda function: _never,
}


def install(version: tuple[int, ...], names: tuple[str, ...], refuse: Callable[[str], None]) -> None:
    """Make torch's functions take the arguments of CUDA for those of the NPU.

    Args:
        version: the release, such as ``(2, 13, 0)``.
        names: the qualified names that it has.
        refuse: raises the error for a qualified name that is not simulated.
    """
    lift_trap()
    npu = sys.modules["torch_npu.npu"]
    copy_names(names, "torch_npu.npu", npu, torch.cuda, refuse)
    copy_names(names, "torch_npu.npu.amp", npu.amp, torch.cuda.amp, refuse)
    for patched in patched_by(version):
        _replace(patched)
    torch.jit.script = _unscripted


def _unscripted(obj: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The object itself: scripting does not know the functions that were replaced."""
    return obj


def _replace(patched: Patched) -> None:
    place, _, last = patched.name.rpartition(".")
    owner = _found(place)
    if owner is None:
        return
    if patched.how.startswith("= "):
        value = _found(patched.how.removeprefix("= "))
        if value is not None:
            setattr(owner, last, value)
    elif hasattr(owner, last):
        setattr(owner, last, _HOW[patched.how](getattr(owner, last)))


def _found(name: str) -> Any:
    """What a qualified name refers to; None where this torch, or the simulation, lacks it."""
    first, *rest = name.split(".")
    found: Any = sys.modules[first]
    for path in itertools.accumulate((first, *rest), "{}.{}".format):
        if path == first:
            continue
        last = path.rpartition(".")[2]
        try:
            found = getattr(found, last) if hasattr(found, last) else importlib.import_module(path)
        except (ImportError, NotImplementedError):
            return None
    return found
