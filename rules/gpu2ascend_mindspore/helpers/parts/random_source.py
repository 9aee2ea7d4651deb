"""Where random orders come from."""

import mindspore as ms
import numpy as np

_RANDOM = {}


def _random():
    """The source of random orders: it starts anew for each seed of ``ms.set_seed``."""
    seed = ms.get_seed()
    if _RANDOM.get("seed", ...) != seed:
        _RANDOM.update(seed=seed, source=np.random.RandomState(seed))
    return _RANDOM["source"]
