"""`torch.nn.Module.to` keeps the identity of parameters, as on the real device; encoders pad.

Torch would make new parameters where the kind of device changes, and an optimizer made before the move
would update those left behind.
"""

from __future__ import annotations

from typing import Any

import torch


def _restore(owner: Any, name: str, before: Any) -> None:
    """Gives a parameter what it became, and its owner the parameter."""
    after = owner._parameters[name]
    gradient, after_gradient = before.grad, after.grad
    before.grad = after.grad = None
    try:
        torch.utils.swap_tensors(before, after)
    except RuntimeError:
        # Something else holds the old tensor, such as a graph; then it stays what it is.
        before.grad, after.grad = gradient, after_gradient
        return
    before.grad = after_gradient
    owner._parameters[name] = before


def install() -> None:
    """Changes `torch.nn.Module._apply`."""
    original = torch.nn.Module._apply

    def _apply(self: Any, fn: Any, recurse: bool = True) -> Any:
        before = {name: value for name, value in self._parameters.items() if value is not None}
        result = original(self, fn, recurse)
        for name, parameter in before.items():
            if self._parameters[name] is not parameter:
                _restore(self, name, parameter)
        return result

    torch.nn.Module._apply = _apply
    if hasattr(torch.backends, "mha"):
        # An encoder would make nested tensors, which only a device with kernels for them has.
        torch.backends.mha.set_fastpath_enabled(False)
