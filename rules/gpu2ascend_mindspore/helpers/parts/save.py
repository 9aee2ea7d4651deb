"""torch.save"""

import pickle
from pathlib import Path

from mindspore import Tensor, nn

from .mapped import _mapped


def save(obj, f):
    """Write what may hold tensors into the file of a name, as arrays in a pickle."""

    def changed(one):
        if isinstance(one, nn.Cell):
            raise TypeError("a whole model cannot be saved: save its state_dict")
        return {"x2ms": one.asnumpy()} if isinstance(one, Tensor) else one

    data = _mapped(changed, obj)
    with Path(f).open("wb") as file:
        pickle.dump(data, file)
