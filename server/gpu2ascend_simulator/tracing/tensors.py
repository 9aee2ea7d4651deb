"""Notes the tensors of a training: what goes into and comes out of each module, and the gradients, in order.

It needs nothing but the standard library and torch (1.13 or later), on Python 3.8 or later. A trace has
names, shapes, data types, statistics and hashes; values only if they are asked for.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

FORMAT = 1
MOST_EVENTS = 200_000
_WRAPPERS = {
    "DataParallel": "module",
    "DistributedDataParallel": "module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "OptimizedModule": "_orig_mod",
}
"""Wrappers of a whole model, and the name that they give it: a run without one has neither."""
_LOOKED_AT = 1 << 18
"""Elements of a tensor that statistics are made of; of a larger one, as many at equal distances."""
_PASSED_ON = ("input", "output", "gradient")
_REMEMBERED = 256
"""Tensors whose description is kept for the next module that has them."""
_HASHED = 1 << 26
"""Elements of a tensor beyond which it gets no hash."""


class Recorder:
    """Notes events until the steps are made; a process has one.

    Args:
        root: The directory of the project, whose lines are named.
        steps: Of optimizers, after which nothing more is noted.
        values: The first values of each tensor that are noted, too.
        quietly: A context in which other observers note nothing, since this is not the project's doing.
    """

    def __init__(
        self, root: str, steps: int, values: int = 0, quietly: Callable[[], Any] = contextlib.nullcontext
    ) -> None:
        self.events: list[dict[str, Any]] = []
        self.steps = 0
        self.is_truncated = False
        self._root = os.path.join(os.path.realpath(root), "")
        self._most_steps = steps
        self._values = values
        self._quietly = quietly
        self._names: Any = weakref.WeakKeyDictionary()
        self._labels: dict[str, int] = {}
        self._parameters: dict[int, tuple[Any, str]] = {}
        self._made: Any = weakref.WeakKeyDictionary()
        self._handles: list[Any] = []
        self._torch: Any = None
        self._devices: dict[str, None] = {}
        self._described: dict[int, tuple[Any, int, dict[str, Any]]] = {}
        self._busy = threading.local()
        self._lock = threading.Lock()

    @property
    def is_done(self) -> bool:
        """Whether nothing more is noted."""
        return self.is_truncated or self.steps >= self._most_steps

    def watch(self, torch: Any) -> None:
        """Follow every module and every optimizer."""
        self._torch = torch
        modules = torch.nn.modules.module
        self._handles = [
            modules.register_module_forward_pre_hook(self._enters),
            modules.register_module_forward_hook(self._leaves),
        ]
        self._watch_making(torch.nn.Module)
        optimizers = sys.modules["torch.optim.optimizer"]
        before = getattr(optimizers, "register_optimizer_step_pre_hook", None)
        after = getattr(optimizers, "register_optimizer_step_post_hook", None)
        if before is not None and after is not None:
            self._handles += [before(self._steps), after(self._stepped)]
        else:  # before 2.1
            self._watch_classes(torch.optim)

    def stop(self) -> None:
        """Note nothing more."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def document(self) -> dict[str, Any]:
        """What was noted so far."""
        rank, world = place_of_rank()
        return {
            "format": FORMAT,
            "torch": str(getattr(self._torch, "__version__", "")),
            "devices": list(self._devices),
            "rank": rank,
            "world": world,
            "steps": self.steps,
            "truncated": self.is_truncated,
            "events": list(self.events),
        }

    def write(self, path: str) -> None:
        """Write what was noted, whole or not at all."""
        temporary = f"{path}.{os.getpid()}.part"
        with self._lock, open(temporary, "w", encoding="utf-8") as file:
            json.dump(self.document(), file)
        os.replace(temporary, path)

    def _enters(self, module: Any, inputs: Any) -> None:
        if module in self._names or not self._may_note():
            return
        self._begin(module)
        for index, tensor in enumerate(_tensors(inputs, self._torch)):
            self._note("input", self._names.get(module, ""), index, tensor, _caller(self._root))

    def _begin(self, module: Any) -> None:
        """Give a module that no other one of these holds, and all below it, their names."""
        inner = module
        while type(inner).__name__ in _WRAPPERS:
            inner = getattr(inner, _WRAPPERS[type(inner).__name__])
        kind = type(inner).__name__
        number = self._labels[kind] = self._labels.get(kind, 0) + 1
        label = kind if number == 1 else f"{kind}#{number}"
        for name, item in module.named_modules():
            if item not in self._names:
                self._names[item] = _joined(label, name)
        for name, parameter in module.named_parameters():
            full = _joined(label, name)
            if id(parameter) not in self._parameters:
                self._parameters[id(parameter)] = (parameter, full)
                self._note("parameter", full, 0, parameter, None)

    def _leaves(self, module: Any, inputs: Any, outputs: Any) -> None:
        if not self._may_note():
            return
        name = self._names.get(module, type(module).__name__)
        line = _caller(self._root)
        about = {"type": type(module).__name__, "made": self._made.get(module)}
        for index, tensor in enumerate(_tensors(outputs, self._torch)):
            self._note("output", name, index, tensor, line, about)
            if tensor.requires_grad:
                with contextlib.suppress(RuntimeError):  # of a tensor that takes no hooks
                    tensor.register_hook(self._gradient(name, index, line, about))

    def _gradient(
        self, name: str, index: int, line: str | None, about: dict[str, Any]
    ) -> Callable[[Any], None]:
        def note(gradient: Any) -> None:
            if self._may_note() and gradient is not None:
                self._note("gradient", name, index, gradient, line, about)

        return note

    def _steps(self, optimizer: Any, *_: Any) -> None:
        if not self._may_note():
            return
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                _, name = self._parameters.get(id(parameter), (None, ""))
                if name and parameter.grad is not None:
                    self._note("parameter-gradient", name, 0, parameter.grad, None)

    def _stepped(self, *_: Any) -> None:
        self.steps += 1
        if self.is_done:
            self.stop()

    def _watch_making(self, base: Any) -> None:
        """Note the line of the project that makes a module."""
        original = base.__init__

        @functools.wraps(original)
        def begin(module: Any, *args: Any, **kwargs: Any) -> None:
            original(module, *args, **kwargs)
            if not self.is_done:
                self._made[module] = _caller(self._root, module)

        base.__init__ = begin

    def _watch_classes(self, optimizers: Any) -> None:
        for kind in vars(optimizers).values():
            if isinstance(kind, type) and "step" in vars(kind):
                kind.step = self._watched(kind.step)  # type: ignore[attr-defined]

    def _watched(self, step: Any) -> Any:
        def watched(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.is_done:
                self._steps(optimizer)
            result = step(optimizer, *args, **kwargs)
            if not self.is_done:
                self._stepped()
            return result

        return watched

    def _may_note(self) -> bool:
        if self.is_done or getattr(self._busy, "now", False):
            return False
        compiling = getattr(getattr(self._torch, "compiler", None), "is_compiling", bool)
        return not self._torch._C._get_tracing_state() and not compiling()

    def _note(
        self,
        kind: str,
        name: str,
        index: int,
        tensor: Any,
        line: str | None,
        about: dict[str, Any] | None = None,
    ) -> None:
        if len(self.events) >= MOST_EVENTS:
            self.is_truncated = True
            return
        self._busy.now = True
        event: dict[str, Any] = {"step": self.steps, "kind": kind, "name": name, "index": index}
        event.update({"shape": list(tensor.shape), "dtype": str(tensor.dtype).replace("torch.", "")})
        more = {"line": line, **(about or {})}
        event.update({key: value for key, value in more.items() if value is not None})
        if tensor.device.type != "cpu":
            self._devices[str(tensor.device.type)] = None
        try:
            with self._quietly(), self._torch.no_grad():
                is_passed_on = kind in _PASSED_ON and not tensor.is_inference()  # whose changes are counted
                describe = self._remembered if is_passed_on else self._description
                event.update(describe(tensor))
        except (RuntimeError, NotImplementedError, TypeError, ValueError):
            event["unreadable"] = True  # inside of a transform of functions, on the device meta, sparse
        finally:
            self._busy.now = False
        self.events.append(event)

    def _description(self, tensor: Any) -> dict[str, Any]:
        return _described(tensor, self._torch, self._values)

    def _remembered(self, tensor: Any) -> dict[str, Any]:
        """What is noted of a tensor; made once while it stays as it is, since modules pass tensors on."""
        known, version, described = self._described.get(id(tensor), (None, 0, {}))
        if known is None or known() is not tensor or version != tensor._version:
            described = self._description(tensor)
            if len(self._described) >= _REMEMBERED:
                self._described.clear()
            self._described[id(tensor)] = (weakref.ref(tensor), tensor._version, described)
        return described


def _described(tensor: Any, torch: Any, values: int) -> dict[str, Any]:
    """Statistics and a hash. They are computed on the CPU, by the same code for every device."""
    host = tensor.detach().to("cpu").contiguous().reshape(-1)
    described: dict[str, Any] = {}
    if host.numel() <= _HASHED and not host.is_complex():
        described["hash"] = hashlib.sha256(_bytes(host, torch)).hexdigest()[:16]
    if host.is_complex():
        host = torch.view_as_real(host).reshape(-1)
    host = host[:: host.numel() // _LOOKED_AT + 1]
    if host.numel():
        described["statistics"] = _statistics(host.to(torch.float64), torch)
    if values:
        described["values"] = [_number(value) for value in host[:values].to(torch.float64).tolist()]
    return described


def _statistics(host: Any, torch: Any) -> dict[str, Any]:
    """Of the numbers that are finite, for the rest their count; the sums tell an order from another."""
    finite = torch.isfinite(host)
    numbers = torch.where(finite, host, torch.zeros_like(host))
    sine, cosine = (weights[: host.numel()] for weights in _weights(torch))
    found = {
        "mean": numbers.mean(),
        "minimum": numbers.min(),
        "maximum": numbers.max(),
        "norm": numbers.norm(),
        "sine": (numbers * sine).sum(),
        "cosine": (numbers * cosine).sum(),
    }
    return {
        **{name: _number(float(value)) for name, value in found.items()},
        "not_finite": int((~finite).sum()),
    }


@functools.lru_cache(maxsize=1)
def _weights(torch: Any) -> tuple[Any, Any]:
    """Of the numbers in the two sums, by their places."""
    places = torch.arange(1, 2 * _LOOKED_AT + 1, dtype=torch.float64)
    return torch.sin(places), torch.cos(places * 0.7)


def _bytes(host: Any, torch: Any) -> Any:
    """The content, without a copy where NumPy is there."""
    raw = host.view(torch.uint8) if host.dtype != torch.bool else host.to(torch.uint8)
    try:
        return raw.numpy()
    except RuntimeError:  # without NumPy
        return bytes(raw.tolist())


def _number(value: float) -> Any:
    """JSON has no word for what is no number."""
    return value if math.isfinite(value) else str(value)


def _joined(label: str, name: str) -> str:
    """The name of a module below another one, without those that wrappers give."""
    return ".".join((label, *(part for part in name.split(".") if part and part not in _WRAPPERS.values())))


def _tensors(value: Any, torch: Any, depth: int = 0) -> Iterator[Any]:
    """The tensors of what a module takes or gives, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict) and depth < 5:
        for item in value.values():
            yield from _tensors(item, torch, depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 5:
        for item in value:
            yield from _tensors(item, torch, depth + 1)


@functools.lru_cache(maxsize=None)
def _real(path: str) -> str:
    return os.path.realpath(path)


def _caller(root: str, made: Any = None) -> str | None:
    """The innermost line of the project that is being run; of a module that is made, not its own."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        is_own = made is not None and frame.f_locals.get("self") is made
        if path != __file__ and not path.startswith("<") and not is_own:
            real = _real(path)
            if real.startswith(root) and f"{os.sep}site-packages{os.sep}" not in real:
                return f"{real[len(root) :].replace(os.sep, '/')}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def place_of_rank() -> tuple[int, int]:
    """The rank of this process and how many there are, as launchers say."""
    rank, world = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    return int(rank) if rank.isdigit() else 0, int(world) if world.isdigit() else 1
