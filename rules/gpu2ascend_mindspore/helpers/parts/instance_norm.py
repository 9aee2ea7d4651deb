"""A norm over each channel of each sample."""

import mindspore as ms
from mindspore import Parameter, nn, ops


class _InstanceNorm(nn.Cell):
    """``nn.InstanceNorm`` of MindSpore computes on Ascend only, and has the averages always."""

    def __init__(
        self, num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None,
        dtype=None,
    ):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum, self.affine = num_features, eps, momentum, affine
        self.track_running_stats = track_running_stats
        kind = dtype or ms.float32
        self.weight = Parameter(ops.ones(num_features, kind), name="weight") if affine else None
        self.bias = Parameter(ops.zeros(num_features, kind), name="bias") if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", ops.zeros(num_features, kind))
            self.register_buffer("running_var", ops.ones(num_features, kind))

    def _along_channels(self, values):
        return values.reshape((1, -1) + (1,) * self.axes)

    def construct(self, input):
        if input.ndim == self.axes + 1:
            return self._normed(input.expand_dims(0)).squeeze(0)
        return self._normed(input)

    def _normed(self, x):
        over = tuple(range(2, self.axes + 2))
        if self.track_running_stats and not self.training:
            mean, var = self._along_channels(self.running_mean), self._along_channels(self.running_var)
        else:
            mean = x.mean(axis=over, keep_dims=True)
            var = ((x - mean) * (x - mean)).mean(axis=over, keep_dims=True)
            if self.track_running_stats:
                self._follow(mean, var, x.size // (x.shape[0] * x.shape[1]))
        x = (x - mean) / ops.sqrt(var + self.eps)
        return x * self._along_channels(self.weight) + self._along_channels(self.bias) if self.affine else x

    def _follow(self, mean, var, count):
        part = self.momentum
        mean = ops.stop_gradient(mean).mean(axis=0).reshape(-1)
        var = ops.stop_gradient(var).mean(axis=0).reshape(-1) * (count / (count - 1))
        self.running_mean[:] = (1 - part) * self.running_mean + part * mean
        self.running_var[:] = (1 - part) * self.running_var + part * var
