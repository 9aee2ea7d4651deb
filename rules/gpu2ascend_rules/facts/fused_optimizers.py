"""The optimizers of torch_npu that update all parameters in one operator."""

from __future__ import annotations

FUSED_ARGUMENTS = {
    "AdamW": ("params", "lr", "betas", "eps", "weight_decay", "amsgrad"),
    "Adam": ("params", "lr", "betas", "eps", "weight_decay", "amsgrad"),
    "SGD": ("params", "lr", "momentum", "dampening", "weight_decay", "nesterov"),
    "RMSprop": ("params", "lr", "alpha", "eps", "weight_decay", "momentum", "centered"),
    "Adadelta": ("params", "lr", "rho", "eps", "weight_decay"),
}
"""The parameters that torch's optimizer and the fused one share, in the order of both.

Source: torch_npu/optim of Ascend/pytorch.
"""


def fused_name(kind: str) -> str:
    """The qualified name of the fused optimizer for one of torch's."""
    return f"torch_npu.optim.NpuFused{kind}"
