"""torch.utils.data.TensorDataset"""

import numpy as np
from mindspore import Tensor

from .dataset import Dataset


class TensorDataset(Dataset):
    """The rows of tensors of one length."""

    def __init__(self, *tensors):
        if any(len(one) != len(tensors[0]) for one in tensors):
            raise ValueError("the tensors have different lengths")
        self.tensors, self._arrays = tensors, [one.asnumpy() for one in tensors]

    def __getitem__(self, index):
        return tuple(Tensor(np.asarray(one[index])) for one in self._arrays)

    def __len__(self):
        return len(self.tensors[0])
