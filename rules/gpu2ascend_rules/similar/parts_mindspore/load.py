"""torch.load"""

import pickle
from pathlib import Path

import mindspore as ms
from mindspore import Tensor

from .load_pth import load_pth

_CLASSES = {"_reconstruct", "scalar", "ndarray", "dtype", "OrderedDict", "_frombuffer"}


class _Arrays(pickle.Unpickler):
    """Reads arrays, numbers, texts and what holds them: a file can make this run no code."""

    def find_class(self, module, name):
        if module.split(".")[0] not in ("numpy", "collections") or name not in _CLASSES:
            raise pickle.UnpicklingError(
                f"{module}.{name}: load with weights_only=False if you trust the file"
            )
        return super().find_class(module, name)


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
