"""torch.load"""

import pickle
from pathlib import Path

import mindspore as ms
from mindspore import Tensor

from .arrays_only import _Arrays
from .load_pth import load_pth


def _restored(value):
    if isinstance(value, dict):
        if value.keys() == {"x2ms"}:
            return Tensor(value["x2ms"])
        return {key: _restored(one) for key, one in value.items()}
    return type(value)(map(_restored, value)) if type(value) in (list, tuple) else value


def load(f, weights_only=True):
    """What ``save`` wrote, or PyTorch, or ``mindspore.save_checkpoint``."""
    path = Path(f)
    if path.suffix == ".ckpt" or not path.exists():
        return ms.load_checkpoint(str(path.with_suffix(".ckpt")))
    with path.open("rb") as file:
        head = file.read(16)
        file.seek(0)
        if head.startswith(b"PK") or b"\xfc\x9c\x46\xf9" in head:
            return load_pth(f, weights_only)
        return _restored((_Arrays if weights_only else pickle.Unpickler)(file).load())
