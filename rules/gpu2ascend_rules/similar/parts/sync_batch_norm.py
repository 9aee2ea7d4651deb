"""Batch normalization over processes."""

import torch
import torch.distributed


# sync_batch_norm: ``torch.nn.SyncBatchNorm`` on the collectives that every backend has.
class SyncBatchNorm(torch.nn.modules.batchnorm._BatchNorm):
    """The same as ``torch.nn.SyncBatchNorm``, on any device: batch normalization whose mean and variance
    in training are those of the batches of all processes together.

    Statistics are float32 at least. Without a process group, with one process, and in a process that does not
    belong to the group, it is plain batch normalization. It is no subclass of torch's: torch's
    ``DistributedDataParallel`` refuses that on some devices.
    """

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        **factory,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, **factory)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input):
        self._check_input_dim(input)
        tracked = self.running_mean is not None and self.running_var is not None
        world_size = self._world_size() if self.training else 1
        if world_size == 1:
            factor = self._next_factor() if self.training else 0.0
            return torch.nn.functional.batch_norm(
                input,
                self.running_mean if not self.training or self.track_running_stats else None,
                self.running_var if not self.training or self.track_running_stats else None,
                self.weight,
                self.bias,
                self.training or not tracked,
                factor,
                self.eps,
            )
        factor = self._next_factor()
        output, mean, var, count = _SyncNormalize.apply(
            input, self.weight, self.bias, self.eps, self.process_group, world_size
        )
        if tracked and self.track_running_stats:
            self._update(mean, var, count, factor)
        return output

    def _world_size(self):
        """How many processes share their statistics; torch gives -1 to one outside the group."""
        if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
            return 1
        return max(1, torch.distributed.get_world_size(*_group(self.process_group)))

    def _next_factor(self):
        """The weight of this batch in the running statistics; without momentum, a cumulative average."""
        if not self.track_running_stats:
            return 0.0
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                return 1.0 / float(self.num_batches_tracked)
        return 0.0 if self.momentum is None else self.momentum

    def _update(self, mean, var, count, factor):
        with torch.no_grad():
            unbiased = var * (count / (count - 1).clamp(min=1))
            for running, new in ((self.running_mean, mean), (self.running_var, unbiased)):
                running.mul_(1 - factor).add_(new.to(running.dtype) * factor)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """The module with every batch normalization in it, itself included, made a synchronized one.

        Parameters, running statistics, the count of batches and the mode are kept.
        """
        converted = module
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            converted = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
            )
            if module.affine:
                converted.weight, converted.bias = module.weight, module.bias
            converted.running_mean = module.running_mean
            converted.running_var = module.running_var
            converted.num_batches_tracked = module.num_batches_tracked
            converted.training = module.training
            if hasattr(module, "qconfig"):
                converted.qconfig = module.qconfig
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted


class _SyncNormalize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, eps, process_group, world_size):
        values = input.to(_statistics_dtype(input.dtype))
        dims = [dim for dim in range(input.dim()) if dim != 1]
        own_count = values.new_full([1], input.numel() // input.size(1))
        own_mean = values.sum(dims) / own_count.clamp(min=1)
        own_squares = ((values - _per_channel(own_mean, input)) ** 2).sum(dims)
        counts, means, squares = _gathered(own_count, own_mean, own_squares, process_group, world_size)
        count = counts.sum(0)
        if float(count) <= 1:
            raise ValueError("Expected more than 1 value per channel when training")
        mean = (counts * means).sum(0) / count
        var = (squares + counts * (means - mean) ** 2).sum(0) / count
        inverse = (var + eps).rsqrt()
        normal = (values - _per_channel(mean, input)) * _per_channel(inverse, input)
        ctx.save_for_backward(normal, weight, inverse, count)
        ctx.process_group = process_group
        ctx.dims = dims
        output = normal
        if weight is not None:
            output = output * _per_channel(weight.to(values.dtype), input)
        if bias is not None:
            output = output + _per_channel(bias.to(values.dtype), input)
        ctx.mark_non_differentiable(mean, var, count)
        return output.to(input.dtype), mean, var, count

    @staticmethod
    def backward(ctx, grad_output, *_):
        normal, weight, inverse, count = ctx.saved_tensors
        gradient = grad_output.to(normal.dtype)
        grad_bias = gradient.sum(ctx.dims)
        grad_weight = (gradient * normal).sum(ctx.dims)
        grad_input = None
        if ctx.needs_input_grad[0]:
            sums = torch.stack([grad_bias, grad_weight])
            torch.distributed.all_reduce(sums, torch.distributed.ReduceOp.SUM, *_group(ctx.process_group))
            mean_bias, mean_weight = sums / count
            centred = gradient - _per_channel(mean_bias, normal) - normal * _per_channel(mean_weight, normal)
            scale = inverse if weight is None else inverse * weight.to(inverse.dtype)
            grad_input = (centred * _per_channel(scale, normal)).to(grad_output.dtype)
        wants_weight = weight is not None and ctx.needs_input_grad[1]
        return (
            grad_input,
            grad_weight.to(weight.dtype) if wants_weight else None,
            grad_bias.to(weight.dtype) if weight is not None and ctx.needs_input_grad[2] else None,
            None,
            None,
            None,
        )


def _statistics_dtype(dtype):
    return torch.float64 if dtype == torch.float64 else torch.float32


def _per_channel(values, like):
    """A value for each channel, shaped so that it meets the channels of a tensor."""
    return values.reshape([1, -1] + [1] * (like.dim() - 2))


def _gathered(count, mean, squares, process_group, world_size):
    """Counts, means and sums of squares of all processes, a row for each."""
    own = torch.cat([count, mean, squares])
    rows = [torch.empty_like(own) for _ in range(world_size)]
    torch.distributed.all_gather(rows, own, *_group(process_group))
    table = torch.stack(rows)
    channels = mean.numel()
    return table[:, :1], table[:, 1 : channels + 1], table[:, channels + 1 :]


def _group(process_group):
    """The argument for a collective: early releases take no None for the default group."""
    return () if process_group is None else (process_group,)
