"""apex's fused optimizers by those of torch_npu, for arguments that are known only when the code runs."""

from .npu_loaded import torch_npu


def FusedAdam(
    params,
    lr=1e-3,
    bias_correction=True,
    betas=(0.9, 0.999),
    eps=1e-8,
    adam_w_mode=True,
    weight_decay=0.0,
    amsgrad=False,
    set_grad_none=True,
    capturable=False,
    master_weights=False,
):
    """``apex.optimizers.FusedAdam``: ``NpuFusedAdamW``, or ``NpuFusedAdam`` without ``adam_w_mode``.

    What those lack is refused. Gradients are set to None or to zero as ``zero_grad`` is told.
    """
    if not bias_correction or amsgrad or capturable or master_weights:
        raise NotImplementedError(
            "FusedAdam for the NPU always corrects the bias, and has no amsgrad, capturable or master_weights"
        )
    kind = torch_npu.optim.NpuFusedAdamW if adam_w_mode else torch_npu.optim.NpuFusedAdam
    return kind(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


def FusedSGD(
    params,
    lr,
    momentum=0.0,
    dampening=0.0,
    weight_decay=0.0,
    nesterov=False,
    wd_after_momentum=False,
    materialize_master_grads=True,
    set_grad_none=False,
):
    """``apex.optimizers.FusedSGD``: ``NpuFusedSGD``. Decay after the momentum is refused."""
    if wd_after_momentum:
        raise NotImplementedError("FusedSGD for the NPU decays weights before the momentum")
    return torch_npu.optim.NpuFusedSGD(
        params, lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov
    )
