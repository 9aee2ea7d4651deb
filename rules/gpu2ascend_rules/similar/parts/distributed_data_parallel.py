"""``apex.parallel.DistributedDataParallel`` by torch's own."""

import warnings

import torch


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
