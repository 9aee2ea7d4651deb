"""Classes of apex."""

import warnings

import torch

from .devices import _operator_for, torch_npu


# distributed_data_parallel: ``apex.parallel.DistributedDataParallel`` by torch's own.
class DistributedDataParallel(torch.nn.parallel.DistributedDataParallel):
    """``apex.parallel.DistributedDataParallel`` by torch's: same arguments, same gradients, same state dict.

    As with apex, buffers are not sent to the other processes in the forward pass, and with
    ``delay_allreduce`` parameters may be unused. What tunes streams and buckets has no effect. Gradients
    are reduced in their own dtype, so ``allreduce_always_fp32`` has an effect only on those of float32.

    ``disable_allreduce`` and ``enable_allreduce`` hold for the forward passes that follow, and the backward
    passes of those: gradients add up in each process, and are reduced together once that is enabled again.
    """

    def __init__(
        self,
        module,
        message_size=10000000,
        delay_allreduce=False,
        shared_param=None,
        allreduce_trigger_params=None,
        retain_allreduce_buffers=False,
        allreduce_always_fp32=False,
        num_allreduce_streams=1,
        allreduce_communicators=None,
        gradient_average=True,
        gradient_predivide_factor=1.0,
        gradient_average_split_factor=None,
        prof=False,
    ):
        if shared_param is not None:
            raise ValueError("shared_param is no longer supported: use delay_allreduce=True")
        if retain_allreduce_buffers:
            raise NotImplementedError("torch's DistributedDataParallel has no allreduce_buffers to keep")
        if allreduce_trigger_params or num_allreduce_streams != 1 or allreduce_communicators:
            warnings.warn("apex's settings of streams and of when to reduce have no effect", stacklevel=2)
        if allreduce_always_fp32 and any(p.dtype == torch.float16 for p in module.parameters()):
            warnings.warn("gradients of float16 are reduced in float16", stacklevel=2)
        super().__init__(
            module,
            device_ids=_device_ids(module),
            broadcast_buffers=False,
            find_unused_parameters=delay_allreduce,
        )
        if not gradient_average:
            _undo_average(module, torch.distributed.get_world_size() / gradient_predivide_factor)

    def disable_allreduce(self):
        """Keep gradients in this process, as in torch's ``no_sync``."""
        self.require_backward_grad_sync = False

    def enable_allreduce(self):
        """Reduce gradients again, with what has added up meanwhile."""
        self.require_backward_grad_sync = True


def _device_ids(module):
    """The device that the module is on, which need not be the one of its local rank; None for the CPU."""
    for parameter in module.parameters():
        return None if parameter.device.type == "cpu" else [parameter.device.index]
    return None


def _undo_average(module, factor):
    """Torch always averages; gradients that are scaled before that come out as apex's sum."""
    for parameter in module.parameters():
        if parameter.requires_grad:
            parameter.register_hook(lambda gradient: gradient * factor)


# fused_optimizers: apex's fused optimizers by torch_npu's, for arguments known only when the code runs.
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

    What those lack is refused. Gradients are set to None or to zero as ``zero_grad`` is asked.
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


# fused_rms_norm: ``apex.normalization.FusedRMSNorm`` for releases whose torch has no ``RMSNorm``.
class FusedRMSNorm(torch.nn.Module):
    """``apex.normalization.FusedRMSNorm``: the same parameter, in one operator on an NPU."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, memory_efficient=False):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = torch.Size(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = torch.nn.Parameter(torch.ones(self.normalized_shape))
        else:
            self.register_parameter("weight", None)

    def forward(self, input):
        operator = _operator_for("npu_rms_norm", input)
        if operator is not None:
            weight = input.new_ones(self.normalized_shape) if self.weight is None else self.weight
            return operator(input, weight, epsilon=self.eps)[0]
        dims = tuple(range(-len(self.normalized_shape), 0))
        values = input.float() if input.dtype == torch.float16 else input
        normal = values * torch.rsqrt(values.pow(2).mean(dims, keepdim=True) + self.eps)
        return (normal if self.weight is None else normal * self.weight).to(input.dtype)

    def extra_repr(self):
        return f"{tuple(self.normalized_shape)}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
