"""The operator of gradient scalers for releases of torch that have it on accelerators only."""

from __future__ import annotations

from typing import Any

import torch


def unscale(gradients: Any, found_inf: Any, inverse_scale: Any) -> None:
    """``aten::_amp_foreach_non_finite_check_and_unscale_``."""
    for gradient in gradients:
        if not bool(torch.isfinite(gradient).all()):
            found_inf.fill_(1.0)
        gradient.mul_(inverse_scale)


KERNELS = {"_amp_foreach_non_finite_check_and_unscale_": unscale}
