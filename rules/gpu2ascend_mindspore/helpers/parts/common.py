"""What several parts share."""

import hashlib
import pickle
import urllib.request

import mindspore as ms
import numpy as np
from mindspore import ops

# arrays_only: Pickles of arrays.
_CLASSES = {"_reconstruct", "scalar", "ndarray", "dtype", "OrderedDict", "_frombuffer"}


class _Arrays(pickle.Unpickler):
    """Reads arrays, numbers, texts and what holds them: a file can make this run no code."""

    def find_class(self, module, name):
        if module.split(".")[0] not in ("numpy", "collections") or name not in _CLASSES:
            raise pickle.UnpicklingError(
                f"{module}.{name}: load with weights_only=False if you trust the file"
            )
        return super().find_class(module, name)


# downloaded: A file of the internet.
def _downloaded(address, digest):
    """What is found at an address, if it is what is expected."""
    with urllib.request.urlopen(address) as answer:
        data = answer.read()
    if hashlib.md5(data).hexdigest() != digest:
        raise RuntimeError(f"{address} is not the file that was expected")
    return data


# found_elements: Elements that a function without gradients finds along a dimension.
def _found_elements(function, input, dim):
    """The elements, with gradients, and where they were."""
    _, places = function(ops.stop_gradient(input), dim)
    places = places.astype(ms.int64)
    return ops.gather_elements(input, dim, places), places


# mapped: A structure with each of its leaves changed.
def _mapped(change, value):
    """A structure of dictionaries, lists and tuples with each of its leaves changed."""
    if isinstance(value, dict):
        return {key: _mapped(change, one) for key, one in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_mapped(change, one) for one in value)
    return change(value)


# pairs: Numbers that are given once for both dimensions.
def _for_each(value, count=2):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count


# random_source: Where random orders come from.
_RANDOM = {}


def _random():
    """The source of random orders: it starts anew for each seed of ``ms.set_seed``."""
    seed = ms.get_seed()
    if _RANDOM.get("seed", ...) != seed:
        _RANDOM.update(seed=seed, source=np.random.RandomState(seed))
    return _RANDOM["source"]
