"""torch.utils.data.default_collate"""

from collections.abc import Mapping

import numpy as np
from mindspore import Tensor


def default_collate(batch):
    """Samples as one batch: tensors, arrays and numbers become tensors with one more dimension."""
    first = batch[0]
    if isinstance(first, Tensor):
        return Tensor(np.stack([one.asnumpy() for one in batch]))
    if isinstance(first, (np.ndarray, np.generic, int, float)):
        return Tensor(np.stack([np.asarray(one) for one in batch]))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([one[key] for one in batch]) for key in first}
    if not isinstance(first, (tuple, list)):
        raise TypeError(f"a batch cannot be made of {type(first)}")
    if any(len(one) != len(first) for one in batch):
        raise RuntimeError("the samples of a batch have different lengths")
    columns = [default_collate(list(column)) for column in zip(*batch)]
    return type(first)(*columns) if hasattr(first, "_fields") else columns
