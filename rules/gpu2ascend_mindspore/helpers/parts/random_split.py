"""torch.utils.data.random_split"""

import math

import numpy as np

from .random_source import _random
from .subset import Subset


def random_split(dataset, lengths, seed=None):
    """A dataset in parts of some lengths, or shares of it, in a random order that a seed may fix."""
    size = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        shares, lengths = lengths, [math.floor(size * one) for one in lengths]
        for one in range(size - sum(lengths)):
            lengths[one % len(shares)] += 1
    if sum(lengths) != size:
        raise ValueError("the lengths do not add up to that of the dataset")
    order = (_random() if seed is None else np.random.RandomState(seed)).permutation(size).tolist()
    ends = np.cumsum(lengths).tolist()
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
