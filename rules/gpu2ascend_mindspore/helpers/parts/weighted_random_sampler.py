"""torch.utils.data.WeightedRandomSampler"""

from .random_source import _random
from .sampler import Sampler


class WeightedRandomSampler(Sampler):
    """Samples drawn by their weights."""

    def __init__(self, weights, num_samples, replacement=True):
        self.weights = [float(one) for one in weights]
        self.num_samples, self.replacement = num_samples, replacement

    def __iter__(self):
        total = sum(self.weights)
        shares = [one / total for one in self.weights]
        return iter(_random().choice(len(shares), self.num_samples, self.replacement, shares).tolist())

    def __len__(self):
        return self.num_samples
