"""torch.utils.data.RandomSampler"""

from .random_source import _random
from .sampler import Sampler


class RandomSampler(Sampler):
    """All samples in a random order, or some of them, each perhaps more than once."""

    def __init__(self, data_source, replacement=False, num_samples=None):
        self.data_source, self.replacement, self._count = data_source, replacement, num_samples

    def __iter__(self):
        size, left = len(self.data_source), len(self)
        if self.replacement:
            yield from _random().randint(0, size, left).tolist()
        while left > 0 and not self.replacement:
            yield from _random().permutation(size)[:left].tolist()
            left -= size

    def __len__(self):
        return len(self.data_source) if self._count is None else self._count
