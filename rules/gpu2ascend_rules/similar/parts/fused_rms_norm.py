"""``apex.normalization.FusedRMSNorm`` for releases whose torch has no ``RMSNorm``."""

import torch

from .npu_loaded import _operator_for


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
