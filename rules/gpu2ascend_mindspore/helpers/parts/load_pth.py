"""A file of PyTorch's."""

import mindspore as ms
from mindspore import Tensor

from .mapped import _mapped


def load_pth(f, weights_only=True):
    """What a file of PyTorch's holds, with tensors of MindSpore; this needs PyTorch."""
    import torch

    def changed(one):
        if isinstance(one, torch.Tensor) and one.dtype == torch.bfloat16:
            return Tensor(one.detach().float().numpy()).astype(ms.bfloat16)
        return Tensor(one.detach().numpy()) if isinstance(one, torch.Tensor) else one

    return _mapped(changed, torch.load(f, map_location="cpu", weights_only=weights_only))
