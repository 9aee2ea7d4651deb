"""Counts the steps of the optimizers and notes the losses.

A step is made of a backward pass: what an optimizer inside of another one reports (of ZeRO, of a library's
wrapper), or a second optimizer after the same pass, is no step of its own.
"""

from __future__ import annotations

import functools
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any

from .record import Record, Recorder

_MOST_LOSSES = 10_000


class Training:
    """What a process has trained so far."""

    def __init__(self, recorder: Recorder, when_done: Callable[[], None], quietly: Any) -> None:
        self._recorder = recorder
        self._when_done = when_done
        self._quietly = quietly
        """A context in which operators are not noted: reading a loss is not the project's doing."""
        self._unscaled: dict[int, tuple[Any, Any]] = {}
        self._watched: set[type] = set()
        self._has_gradients = False
        """Whether a backward pass began since the last step."""
        self._first_step: float | None = None

    def watch(self, torch: Any) -> None:
        """Follow every optimizer, every ``backward`` and every scaler of losses."""
        import torch.optim.optimizer as optimizers

        optimizers.register_optimizer_step_post_hook(self._stepped)
        self._watch_passes(torch)
        self.watch_scaler(getattr(torch.amp, "GradScaler", None) or torch.cuda.amp.GradScaler)  # before 2.3

    def _stepped(self, optimizer: Any, *_: Any) -> None:
        if not self._has_gradients:
            return
        self._has_gradients = False
        record = self._recorder.record
        record.steps += 1
        record.steps_on_cpu += not _is_on_device(optimizer)
        collect_place(record)
        now = time.monotonic()
        if self._first_step is None:
            self._first_step = now
        record.seconds = now - self._first_step
        if record.steps >= self._recorder.settings.steps and not record.is_done:
            record.is_done = True
            self._when_done()

    def _watch_passes(self, torch: Any) -> None:
        original = torch.autograd.backward

        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            self._note_loss(torch, tensors)
            return original(tensors, *args, **kwargs)

        torch.autograd.backward = backward
        variable = torch.autograd.Variable
        variable._execution_engine = _Engine(variable._execution_engine, self._begin_pass)

    def _begin_pass(self) -> None:
        self._has_gradients = True

    def _note_loss(self, torch: Any, tensors: Any) -> None:
        for tensor in tensors if isinstance(tensors, (tuple, list)) else (tensors,):
            if not isinstance(tensor, torch.Tensor) or tensor.numel() != 1:
                continue
            if len(self._recorder.record.losses) >= _MOST_LOSSES:
                return
            reference, unscaled = self._unscaled.pop(id(tensor), (None, None))
            loss = unscaled if reference is not None and reference() is tensor else tensor
            with self._quietly(), torch.no_grad():
                self._recorder.record.losses.append(float(loss.detach()))

    def watch_scaler(self, scaler: Any) -> None:
        """Remember what each scaled loss was made of: the losses of two runs may be scaled differently."""
        owner = next(known for known in scaler.__mro__ if "scale" in vars(known))
        if owner in self._watched:
            return
        self._watched.add(owner)
        original = owner.scale

        @functools.wraps(original)
        def scale(this: Any, outputs: Any) -> Any:
            scaled = original(this, outputs)
            if hasattr(scaled, "backward") and hasattr(outputs, "detach"):
                self._unscaled[id(scaled)] = (weakref.ref(scaled), outputs.detach())
            return scaled

        owner.scale = scale


class _Engine:
    """The engine of autograd, through which every backward pass goes, whichever function asks for it."""

    def __init__(self, engine: Any, begins: Callable[[], None]) -> None:
        self._engine = engine
        self._begins = begins

    def run_backward(self, *args: Any, **kwargs: Any) -> Any:
        self._begins()
        return self._engine.run_backward(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


def _is_on_device(optimizer: Any) -> bool:
    """Whether some parameter is not on the CPU."""
    groups = optimizer.param_groups
    return any(parameter.device.type != "cpu" for group in groups for parameter in group["params"])


def collect_place(record: Record) -> None:
    """Note the rank of this process and how many there are, where a process group says so."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        record.rank, record.world = distributed.get_rank(), distributed.get_world_size()
