"""torch.utils.data.ConcatDataset"""

import bisect
import itertools

from .dataset import Dataset


class ConcatDataset(Dataset):
    """Datasets one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        self.cumulative_sizes = list(itertools.accumulate(len(one) for one in self.datasets))

    def __getitem__(self, index):
        index = index if index >= 0 else len(self) + index
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self):
        return self.cumulative_sizes[-1]
