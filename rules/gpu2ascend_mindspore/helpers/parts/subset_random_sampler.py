"""torch.utils.data.SubsetRandomSampler"""

from .random_source import _random
from .sampler import Sampler


class SubsetRandomSampler(Sampler):
    """The samples of some numbers in a random order."""

    def __init__(self, indices):
        self.indices = indices

    def __iter__(self):
        return iter([self.indices[one] for one in _random().permutation(len(self.indices))])

    def __len__(self):
        return len(self.indices)
