"""From the name of a PyTorch API to the ATen operator behind it."""

from __future__ import annotations

_PREFIXES = {
    "torch.ops.aten": "",
    "torch.nn.functional": "",
    "torch.Tensor": "",
    "torch.special": "special_",
    "torch.linalg": "linalg_",
    "torch.fft": "fft_",
    "torch": "",
}
"""Modules whose functions are operators of the same name, with the prefix that the operators have."""


def operator_of(api: str) -> str | None:
    """The ATen operator (without overload) that a function or Tensor method calls, if it has its name.

    Functions that PyTorch composes of other operators have none, or one that no backend registers.
    """
    parent, _, name = api.rpartition(".")
    if parent == "torch.ops.aten" or parent in _PREFIXES:
        return f"{_PREFIXES[parent]}{name}"
    if parent.startswith("torch.ops.aten."):
        return parent.rpartition(".")[2]
    return None
