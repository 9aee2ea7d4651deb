"""torch.utils.data.SequentialSampler"""

from .sampler import Sampler


class SequentialSampler(Sampler):
    """All samples, from the first to the last."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)
